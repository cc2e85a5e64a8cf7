#include <algorithm>
#include <array>

#include <wavegrid/orbitals/box_neighbours.hpp>
#include <wavegrid/orbitals/common_points.hpp>

namespace wavegrid {

namespace {

/// Boxes sorted by their first points into cells that are at least as long as the longest box.
class SortedBoxes {
 public:
  SortedBoxes(const std::vector<Box>& boxes, const Int3& grid) : grid_(grid) {
    for (const Box& box : boxes)
      for (std::size_t d = 0; d < 3; ++d) longest_[d] = std::max(longest_[d], box.size[d]);
    for (std::size_t d = 0; d < 3; ++d) {
      length_[d] = std::clamp(longest_[d], 1, grid[d]);
      cells_[d] = (grid[d] + length_[d] - 1) / length_[d];
    }
    found_.resize(static_cast<std::size_t>(cells_[0]) * static_cast<std::size_t>(cells_[1]) *
                  static_cast<std::size_t>(cells_[2]));
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      Int3 cell{};
      for (std::size_t d = 0; d < 3; ++d) cell[d] = wrapped(boxes[i].begin[d], grid[d]) / length_[d];
      found_[place(cell)].push_back(static_cast<Index>(i));
    }
  }

  /// Calls visit(box) for all that can have points in common with this one.
  template <class Visit>
  void for_near(const Box& box, Visit visit) const {
    std::array<std::vector<int>, 3> near;
    for (std::size_t d = 0; d < 3; ++d) near[d] = cells_near(box, d);
    for (const int x : near[0])
      for (const int y : near[1])
        for (const int z : near[2])
          for (const Index i : found_[place({x, y, z})]) visit(i);
  }

 private:
  [[nodiscard]] std::size_t place(const Int3& cell) const {
    return (static_cast<std::size_t>(cell[0]) * static_cast<std::size_t>(cells_[1]) +
            static_cast<std::size_t>(cell[1])) *
               static_cast<std::size_t>(cells_[2]) +
           static_cast<std::size_t>(cell[2]);
  }
  /// The cells along an axis with first points from the longest box before this one to its last point.
  [[nodiscard]] std::vector<int> cells_near(const Box& box, std::size_t d) const {
    std::vector<int> cells;
    const int first = box.begin[d] - longest_[d] + 1, last = box.begin[d] + box.size[d] - 1;
    for (int at = first; at <= last;) {
      const int point = wrapped(at, grid_[d]), cell = point / length_[d];
      if (!cells.empty() && cell == cells.front()) break;  // once around
      cells.push_back(cell);
      at += std::min((cell + 1) * length_[d], grid_[d]) - point;
    }
    return cells;
  }

  Int3 grid_, longest_{}, length_{}, cells_{};
  std::vector<std::vector<Index>> found_;
};

}  // namespace

std::vector<std::vector<Index>> box_neighbours(const std::vector<Box>& a, const std::vector<Box>& b, const Int3& grid) {
  const SortedBoxes sorted(b, grid);
  std::vector<std::vector<Index>> all;
  for (const Box& box : a) {
    std::vector<Index>& near = all.emplace_back();
    sorted.for_near(box, [&](Index i) {
      if (have_common_points(box, b[static_cast<std::size_t>(i)], grid)) near.push_back(i);
    });
    std::sort(near.begin(), near.end());
  }
  return all;
}

std::vector<std::vector<Index>> transposed(const std::vector<std::vector<Index>>& neighbours, Index count) {
  std::vector<std::vector<Index>> all(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < neighbours.size(); ++i)
    for (const Index j : neighbours[i]) all[static_cast<std::size_t>(j)].push_back(static_cast<Index>(i));
  return all;
}

}  // namespace wavegrid
