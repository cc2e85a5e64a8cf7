// The halo exchange of any graph, from the numbers of the points that each rank owns and of those that it needs.
#pragma once

#include <wavegrid/exchange/directory.hpp>

namespace wavegrid {

/// The two sides of a plan that fills ghosts in place, in an array of this rank's own points followed by its ghosts.
/// `own` and `ghosts`: global numbers, in local order; each number that is a ghost has one owner, which may be the rank
/// itself (a periodic image). Collective; throws as match_layouts().
[[nodiscard]] MatchedRuns match_ghosts(const Comm& comm, const IndexList& own, const IndexList& ghosts);

}  // namespace wavegrid
