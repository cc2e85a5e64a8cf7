#include <wavegrid/orbitals/common_points.hpp>

namespace wavegrid {

namespace {

/// Runs of common indices along an axis.
std::vector<CommonRun> common_indices(const Box& a, const Box& b, const Int3& grid, std::size_t axis) {
  std::vector<CommonRun> runs;
  for (int i = 0; i < a.size[axis]; ++i) {
    const int j = wrapped(a.begin[axis] + i - b.begin[axis], grid[axis]);
    if (j >= b.size[axis]) continue;
    if (!runs.empty() && runs.back().a + runs.back().length == i && runs.back().b + runs.back().length == j)
      ++runs.back().length;
    else
      runs.push_back({i, j, 1});
  }
  return runs;
}

RowPart part(const BoxPart& of, Index row) {
  return of.rows.empty() ? RowPart{0, of.box.size[2]} : of.rows[static_cast<std::size_t>(row)];
}

}  // namespace

std::vector<CommonRun> common_points(const Box& a, const Box& b, const Int3& grid) {
  return common_points(BoxPart{a}, BoxPart{b}, grid);
}

std::vector<CommonRun> common_points(const BoxPart& a, const BoxPart& b, const Int3& grid) {
  std::vector<CommonRun> runs;
  find_common_points(a, b, grid, runs);
  return runs;
}

void find_common_points(const BoxPart& of_a, const BoxPart& of_b, const Int3& grid, std::vector<CommonRun>& runs) {
  constexpr Index unit = 8;
  const Box &a = of_a.box, &b = of_b.box;
  const std::array<std::vector<CommonRun>, 3> axes{common_indices(a, b, grid, 0), common_indices(a, b, grid, 1),
                                                   common_indices(a, b, grid, 2)};
  runs.clear();
  for (const CommonRun& x : axes[0])
    for (Index i = 0; i < x.length; ++i)
      for (const CommonRun& y : axes[1])
        for (Index j = 0; j < y.length; ++j) {
          const Index row_a = (x.a + i) * a.size[1] + y.a + j, row_b = (x.b + i) * b.size[1] + y.b + j;
          const RowPart in_a = part(of_a, row_a), in_b = part(of_b, row_b);
          for (const CommonRun& z : axes[2]) {
            Index first = std::max({Index{0}, in_a.first - z.a, in_b.first - z.b});
            Index last = std::min({z.length, in_a.last - z.a, in_b.last - z.b});
            if (first >= last) continue;
            const Index length = (last - first + unit - 1) / unit * unit;
            last = std::min(z.length, first + length);
            first = std::max(Index{0}, last - length);
            runs.push_back({row_a * a.size[2] + z.a + first, row_b * b.size[2] + z.b + first, last - first});
          }
        }
}

bool have_common_points(const Box& a, const Box& b, const Int3& grid) {
  for (std::size_t d = 0; d < 3; ++d) {
    if (a.size[d] <= 0 || b.size[d] <= 0) return false;
    const int distance = wrapped(b.begin[d] - a.begin[d], grid[d]);  // from the first point of a on
    if (distance >= a.size[d] && distance + b.size[d] <= grid[d]) return false;
  }
  return true;
}

Index num_common_points(const Box& a, const Box& b, const Int3& grid) {
  Index product = 1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    Index sum = 0;
    for (const CommonRun& run : common_indices(a, b, grid, axis)) sum += run.length;
    product *= sum;
  }
  return product;
}

}  // namespace wavegrid
