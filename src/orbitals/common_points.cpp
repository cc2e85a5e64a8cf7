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

}  // namespace

std::vector<CommonRun> common_points(const Box& a, const Box& b, const Int3& grid) {
  const std::array<std::vector<CommonRun>, 3> axes{common_indices(a, b, grid, 0), common_indices(a, b, grid, 1),
                                                   common_indices(a, b, grid, 2)};
  std::vector<CommonRun> runs;
  for (const CommonRun& x : axes[0])
    for (Index i = 0; i < x.length; ++i)
      for (const CommonRun& y : axes[1])
        for (Index j = 0; j < y.length; ++j)
          for (const CommonRun& z : axes[2])
            runs.push_back({((x.a + i) * a.size[1] + y.a + j) * a.size[2] + z.a,
                            ((x.b + i) * b.size[1] + y.b + j) * b.size[2] + z.b, z.length});
  return runs;
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
