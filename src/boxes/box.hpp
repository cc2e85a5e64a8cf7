// Boxes of grid points: half-open, periodic, of any size up to the cell.
#pragma once

#include <algorithm>

#include <wavegrid/base/index.hpp>

namespace wavegrid {

/// The points begin[d] <= i < begin[d] + size[d] of a periodic grid; `begin` may be any integers. Values in a box are
/// an array (size x, size y, size z), z fastest.
struct Box {
  Int3 begin{};
  Int3 size{};
  Index number = 0;  ///< among the boxes of all ranks: the order of additions in deterministic mode

  [[nodiscard]] Index points() const { return Index{1} * size[0] * size[1] * size[2]; }
};

/// i modulo n, from 0 to n - 1.
[[nodiscard]] constexpr int wrapped(int i, int n) { return i % n < 0 ? i % n + n : i % n; }

/// Calls visit(first point, first value, length) for the rows of a box in their order: `length` points along z, by
/// their global indices (x * ny + y) * nz + z, are the values from `first value` on. A row that leaves the cell is two.
template <class Visit>
void for_rows(const Box& box, const Int3& grid, Visit visit) {
  const Index z = wrapped(box.begin[2], grid[2]), inside = std::min<Index>(box.size[2], grid[2] - z);
  Index value = 0;
  for (int i = 0; i < box.size[0]; ++i)
    for (int j = 0; j < box.size[1]; ++j) {
      const Index x = wrapped(box.begin[0] + i, grid[0]), y = wrapped(box.begin[1] + j, grid[1]);
      const Index line = (x * grid[1] + y) * grid[2];
      if (inside > 0) visit(line + z, value, inside);
      if (inside < box.size[2]) visit(line, value + inside, box.size[2] - inside);
      value += box.size[2];
    }
}

}  // namespace wavegrid
