// Index types used everywhere: counts are 64 bits wide, MPI's int appears only inside transports.
#pragma once

#include <array>
#include <cstdint>

namespace wavegrid {

using Index = std::int64_t;       ///< a count, an offset or a global index
using Int3 = std::array<int, 3>;  ///< grid sizes (nx, ny, nz) or an integer G vector

/// A half-open range [begin, end) of global indices.
struct Range {
  Index begin = 0;
  Index end = 0;

  [[nodiscard]] constexpr Index size() const { return end - begin; }
  [[nodiscard]] constexpr bool empty() const { return end <= begin; }
  [[nodiscard]] constexpr bool contains(Index i) const { return i >= begin && i < end; }
  friend constexpr bool operator==(const Range&, const Range&) = default;
};

/// a / b, rounded up; a is not negative and b is positive.
[[nodiscard]] constexpr Index ceil_div(Index a, Index b) { return (a + b - 1) / b; }

/// FFT order: the grid index of frequency g on n points, and its inverse (g in [-n/2, (n-1)/2]).
[[nodiscard]] constexpr int to_grid_index(int g, int n) { return g < 0 ? g + n : g; }
[[nodiscard]] constexpr int to_frequency(int i, int n) { return 2 * i < n + (n % 2) ? i : i - n; }

}  // namespace wavegrid
