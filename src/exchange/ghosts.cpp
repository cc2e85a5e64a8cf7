#include <wavegrid/exchange/ghosts.hpp>

namespace wavegrid {

MatchedRuns match_ghosts(const Comm& comm, const IndexList& own, const IndexList& ghosts) {
  MatchedRuns matched = match_layouts(comm, own, ghosts);
  for (PartnerRuns& of_partner : matched.receives)
    for (Run& run : of_partner.runs) run.start += own.size();
  return matched;
}

}  // namespace wavegrid
