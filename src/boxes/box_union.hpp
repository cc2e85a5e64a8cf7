// The points of several boxes, each once.
#pragma once

#include <span>
#include <vector>

#include <wavegrid/boxes/box.hpp>
#include <wavegrid/exchange/directory.hpp>

namespace wavegrid {

/// The union of the points of some boxes, by rising global index, and where the values of each box are in it. Pure.
///
/// Memory is proportional to the rows of the boxes; while it is made, also to the lines of the grid along z.
class BoxUnion {
 public:
  BoxUnion(const Int3& grid, std::span<const Box> boxes);

  [[nodiscard]] const IndexList& points() const { return points_; }
  [[nodiscard]] Index size() const { return size_; }

  /// `length` consecutive values of a box from `value` on are the points from `point` on of the union.
  struct Row {
    Index point, value, length;
  };
  /// The rows of a box, by rising point.
  [[nodiscard]] std::span<const Row> rows(std::size_t box) const {
    return std::span<const Row>(rows_).subspan(first_row_[box], first_row_[box + 1] - first_row_[box]);
  }
  /// Calls visit(point, value, length) for the parts of a box's rows that lie in a range of points.
  template <class Visit>
  void for_rows_in(Range points, std::size_t box, Visit visit) const {
    const auto all = rows(box);
    auto row = std::partition_point(all.begin(), all.end(),
                                    [&](const Row& one) { return one.point + one.length <= points.begin; });
    for (; row != all.end() && row->point < points.end; ++row) {
      const Index first = std::max(points.begin, row->point), end = std::min(points.end, row->point + row->length);
      visit(first, row->value + first - row->point, end - first);
    }
  }

 private:
  void find_points(const Int3& grid, std::span<const Box> boxes);
  void find_rows(const Int3& grid, std::span<const Box> boxes);

  IndexList points_;
  Index size_ = 0;
  std::vector<Row> rows_;
  std::vector<std::size_t> first_row_;
};

}  // namespace wavegrid
