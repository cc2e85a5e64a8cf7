// How a problem is divided over ranks.
#pragma once

#include <wavegrid/basis/g_sphere.hpp>
#include <wavegrid/costmodel/choose_partition.hpp>
#include <wavegrid/problem/problem.hpp>

namespace wavegrid {

/// Pure, the same on all ranks.
struct ParallelLayout {
  /// Throws bad_input if the layout that the problem requests is not possible.
  ParallelLayout(const Problem& problem, int ranks);

  GSphere sphere;  ///< of the first k-point
  GroupChoice groups;

  /// The partition of the first k-point's sphere over a band group of `ranks` ranks, with the reason.
  [[nodiscard]] PartitionChoice partition(const Problem& problem, int ranks) const;
};

}  // namespace wavegrid
