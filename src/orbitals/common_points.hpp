// The points that two boxes have in common.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include <wavegrid/boxes/box.hpp>

namespace wavegrid {

/// `length` points along z: values from `a` on of one box, and from `b` on of the other.
struct CommonRun {
  Index a, b, length;
};

/// The common points of two boxes of a periodic grid, in the order of the first one. Pure.
[[nodiscard]] std::vector<CommonRun> common_points(const Box& a, const Box& b, const Int3& grid);

/// Whether there are any; takes no time. Pure.
[[nodiscard]] bool have_common_points(const Box& a, const Box& b, const Int3& grid);
/// Their number. Pure.
[[nodiscard]] Index num_common_points(const Box& a, const Box& b, const Int3& grid);

}  // namespace wavegrid
