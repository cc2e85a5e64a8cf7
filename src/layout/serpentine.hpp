// Distribution in serpentine order: the heaviest item first, to parts 0 .. parts-1, then parts-1 .. 0, and so on.
#pragma once

#include <vector>

namespace wavegrid {

/// The part of the d-th item.
[[nodiscard]] inline int serpentine(int d, int parts) {
  const int turn = d / parts;
  const int place = d % parts;
  return turn % 2 == 0 ? place : parts - 1 - place;
}

/// Items of positive weight, heaviest first, ties by rising index.
[[nodiscard]] std::vector<int> by_decreasing_weight(const std::vector<int>& weight);

/// Part of every item (-1 if its weight is 0): items in the order of by_decreasing_weight(), in serpentine
/// distribution.
[[nodiscard]] std::vector<int> distribute_by_weight(const std::vector<int>& weight, int parts);

}  // namespace wavegrid
