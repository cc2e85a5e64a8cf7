#include "boxes/box_union.hpp"

namespace wavegrid {

BoxUnion::BoxUnion(const Int3& grid, std::span<const Box> boxes) {
  find_points(grid, boxes);
  find_rows(grid, boxes);
}

void BoxUnion::find_points(const Int3& grid, std::span<const Box> boxes) {
  std::vector<Range> rows;
  for (const Box& box : boxes)
    for_rows(box, grid, [&](Index point, Index, Index length) { rows.push_back({point, point + length}); });
  std::sort(rows.begin(), rows.end(), [](const Range& a, const Range& b) { return a.begin < b.begin; });
  Index end = 0;  // of the points so far
  for (const Range& row : rows) {
    points_.append({std::max(row.begin, end), std::max(row.end, end)});
    end = std::max(end, row.end);
  }
  size_ = points_.size();
}

void BoxUnion::find_rows(const Int3& grid, std::span<const Box> boxes) {
  const std::vector<Range>& ranges = points_.ranges();
  std::vector<Index> before;  // points before each range
  Index points = 0;
  for (const Range& range : ranges) {
    before.push_back(points);
    points += range.size();
  }
  first_row_.push_back(0);
  for (const Box& box : boxes) {
    const std::size_t first = rows_.size();
    for_rows(box, grid, [&](Index point, Index value, Index length) {
      const auto after = std::upper_bound(ranges.begin(), ranges.end(), point,
                                          [](Index p, const Range& range) { return p < range.begin; });
      const auto range = static_cast<std::size_t>(after - ranges.begin()) - 1;
      const Index at = before[range] + point - ranges[range].begin;
      if (rows_.size() > first && rows_.back().point + rows_.back().length == at &&
          rows_.back().value + rows_.back().length == value)
        rows_.back().length += length;
      else
        rows_.push_back({at, value, length});
    });
    std::sort(rows_.begin() + static_cast<std::ptrdiff_t>(first), rows_.end(),
              [](const Row& a, const Row& b) { return a.point < b.point; });
    first_row_.push_back(rows_.size());
  }
}

}  // namespace wavegrid
