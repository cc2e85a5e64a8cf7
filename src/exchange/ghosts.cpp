#include <wavegrid/exchange/ghosts.hpp>

namespace wavegrid {

MatchedRuns match_ghosts(const Comm& comm, const IndexList& own, const IndexList& ghosts) {
  MatchedRuns matched = match_layouts(comm, own, ghosts, Unowned::refuse, {"own points", "ghost points"});
  for (PartnerRuns& from : matched.receives) from.runs.shift(own.size());
  return matched;
}

}  // namespace wavegrid
