#include <numeric>

#include <wavegrid/boxes/box_union.hpp>

namespace wavegrid {

BoxUnion::BoxUnion(const Int3& grid, std::span<const Box> boxes) {
  find_points(grid, boxes);
  find_rows(grid, boxes);
}

/// Sorts the rows by the lines along z to which they belong, then those of a line by their beginning.
void BoxUnion::find_points(const Int3& grid, std::span<const Box> boxes) {
  const Index line = grid[2];
  const auto line_index = [line](Index point) { return static_cast<std::size_t>(point / line); };
  std::vector<std::size_t> end(static_cast<std::size_t>(grid[0]) * static_cast<std::size_t>(grid[1]), 0);
  for (const Box& box : boxes) for_rows(box, grid, [&](Index point, Index, Index) { ++end[line_index(point)]; });
  std::partial_sum(end.begin(), end.end(), end.begin());
  std::vector<Range> rows(end.empty() ? 0 : end.back());
  for (const Box& box : boxes)
    for_rows(box, grid, [&](Index point, Index, Index length) {
      rows[--end[line_index(point)]] = {point, point + length};
    });
  // Now end[i] is where the rows of line i begin.
  for (std::size_t i = 0; i < end.size(); ++i) {
    const std::span<Range> line_ranges(
        rows.begin() + static_cast<std::ptrdiff_t>(end[i]),
        i + 1 < end.size() ? rows.begin() + static_cast<std::ptrdiff_t>(end[i + 1]) : rows.end());
    std::sort(line_ranges.begin(), line_ranges.end(), [](const Range& a, const Range& b) { return a.begin < b.begin; });
    Index covered = 0;
    for (const Range& row : line_ranges) {
      points_.append({std::max(row.begin, covered), std::max(row.end, covered)});
      covered = std::max(covered, row.end);
    }
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
  std::vector<std::size_t> first_range;  // of each line along z: the first one that ends behind its first point
  for (Index line = 0; line < Index{grid[0]} * grid[1]; ++line) {
    std::size_t range = first_range.empty() ? 0 : first_range.back();
    while (range < ranges.size() && ranges[range].end <= line * grid[2]) ++range;
    first_range.push_back(range);
  }
  first_row_.push_back(0);
  for (const Box& box : boxes) {
    const std::size_t first = rows_.size();
    for_rows(box, grid, [&](Index point, Index value, Index length) {
      std::size_t range = first_range[static_cast<std::size_t>(point / grid[2])];
      while (ranges[range].end <= point) ++range;
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
