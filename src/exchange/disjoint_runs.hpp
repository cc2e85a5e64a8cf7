// Whether two sets of runs have an element in common.
#pragma once

#include <vector>

#include <wavegrid/exchange/runs.hpp>

namespace wavegrid {

using RunLists = std::vector<const RunList*>;

/// True if no element of the lists `a` is in one of the lists `b`. Pure.
[[nodiscard]] bool are_disjoint(const RunLists& a, const RunLists& b);

}  // namespace wavegrid
