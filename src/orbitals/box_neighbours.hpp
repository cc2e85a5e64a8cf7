// Which of many boxes have common points, in a time that grows as their number.
#pragma once

#include <vector>

#include <wavegrid/boxes/box.hpp>

namespace wavegrid {

/// For each box of `a` the places in `b` of those with points in common with it, rising. Pure.
[[nodiscard]] std::vector<std::vector<Index>> box_neighbours(const std::vector<Box>& a, const std::vector<Box>& b,
                                                             const Int3& grid);

/// The other direction: for each of `count` boxes of `b` the boxes of `a`, rising. Pure.
[[nodiscard]] std::vector<std::vector<Index>> transposed(const std::vector<std::vector<Index>>& neighbours,
                                                         Index count);

}  // namespace wavegrid
