// The points that two boxes have in common.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include <wavegrid/boxes/box.hpp>

namespace wavegrid {

/// `length` points along z: values from `a` on of one box, and from `b` on of the other.
struct CommonRun {
  Index a, b, length;
};

/// The values [first, last) of a row of a box along z.
struct RowPart {
  int first = 0, last = 0;
};

/// A box, and the part of each of its rows (x, y) that counts; without parts all of it.
struct BoxPart {
  Box box;
  std::span<const RowPart> rows{};
};

/// The common points of two boxes of a periodic grid, in the order of the first one. Pure.
[[nodiscard]] std::vector<CommonRun> common_points(const Box& a, const Box& b, const Int3& grid);
/// Those that count in both, likewise, and around them common points that do not, so that runs are multiples of 8
/// points where boxes allow it. Pure.
[[nodiscard]] std::vector<CommonRun> common_points(const BoxPart& a, const BoxPart& b, const Int3& grid);
/// The same, to an array that is used again.
void find_common_points(const BoxPart& a, const BoxPart& b, const Int3& grid, std::vector<CommonRun>& runs);

/// Whether there are any; takes no time. Pure.
[[nodiscard]] bool have_common_points(const Box& a, const Box& b, const Int3& grid);
/// Their number. Pure.
[[nodiscard]] Index num_common_points(const Box& a, const Box& b, const Int3& grid);

}  // namespace wavegrid
