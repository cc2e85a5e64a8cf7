// Arrays of any length in MPI calls whose counts are ints.
#pragma once

#include <algorithm>
#include <span>

#include <wavegrid/base/index.hpp>

namespace wavegrid {

/// Elements per MPI call: longer arrays are sent in tiles, so that no count reaches 2^31.
inline constexpr Index max_message = Index{1} << 28;

/// Calls action(first element, count) for each tile of an array.
template <class T, class Action>
void in_tiles(std::span<T> values, Action action) {
  const Index n = static_cast<Index>(values.size());
  for (Index begin = 0; begin < n; begin += max_message)
    action(values.data() + begin, static_cast<int>(std::min(max_message, n - begin)));
}

}  // namespace wavegrid
