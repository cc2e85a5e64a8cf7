// Values of functions at the common points of two boxes, without gaps.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include <wavegrid/base/aligned.hpp>
#include <wavegrid/orbitals/common_points.hpp>

namespace wavegrid {

/// to (functions, points of the runs) of the values (functions, points of the box) of a box; `begin`: which of both.
/// Returns the number of points.
template <class S>
Index gather_points(std::span<const S> from, Index box_points, Index functions, const std::vector<CommonRun>& runs,
                    Index CommonRun::*begin, AlignedVector<S>& to) {
  Index points = 0;
  for (const CommonRun& run : runs) points += run.length;
  to.resize(static_cast<std::size_t>(functions * points));
  S* target = to.data();
  for (Index f = 0; f < functions; ++f)
    for (const CommonRun& run : runs)
      target = std::copy_n(from.data() + f * box_points + run.*begin, run.length, target);
  return points;
}

/// The reverse: adds to the values in the box.
template <class S>
void add_points(std::span<const S> from, Index box_points, Index functions, const std::vector<CommonRun>& runs,
                Index CommonRun::*begin, S* to) {
  const S* source = from.data();
  for (Index f = 0; f < functions; ++f)
    for (const CommonRun& run : runs)
      for (Index p = 0; p < run.length; ++p) to[f * box_points + run.*begin + p] += *source++;
}

}  // namespace wavegrid
