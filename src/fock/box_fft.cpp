#include <algorithm>

#include <wavegrid/fock/box_fft.hpp>

namespace wavegrid {

BoxFft::BoxFft(const Int3& grid, PlanEffort effort)
    : grid_(grid), forward_(lines(FftDirection::forward, effort)), backward_(lines(FftDirection::backward, effort)) {}

BoxFft::Lines BoxFft::lines(FftDirection direction, PlanEffort effort) const {
  const auto [nx, ny, nz] = grid_;
  const auto batch = [&](int n, int count, int stride, int distance) {
    return BatchFft<double>({.n = n,
                             .count = count,
                             .in_stride = stride,
                             .in_distance = distance,
                             .out_stride = stride,
                             .out_distance = distance},
                            direction, effort);
  };
  return {batch(nx, ny * nz, ny * nz, 1), batch(ny, nz, nz, 1), batch(nz, ny, 1, nz)};
}

BoxFft::Workspace BoxFft::workspace() const {
  const auto plane = static_cast<std::size_t>(grid_[1]) * static_cast<std::size_t>(grid_[2]);
  Index batch = 0;
  for (const Lines* one : {&forward_, &backward_})
    batch = std::max({batch, one->x.workspace(), one->y.workspace(), one->z.workspace()});
  Workspace work;
  work.box.resize(static_cast<std::size_t>(points()));
  work.plane.resize(plane);
  work.batch.resize(static_cast<std::size_t>(batch));
  return work;
}

double BoxFft::bytes(const Int3& grid) {
  return sizeof(Complex) * (static_cast<double>(grid[0]) + 1) * grid[1] * grid[2];
}

void BoxFft::run(Complex* values, Workspace& work, const Lines& lines) const {
  const Index plane = static_cast<Index>(grid_[1]) * grid_[2];
  for (int x = 0; x < grid_[0]; ++x) {
    lines.z.run(values + x * plane, work.plane.data(), work.batch.data());
    lines.y.run(work.plane.data(), work.box.data() + x * plane, work.batch.data());
  }
  lines.x.run(work.box.data(), values, work.batch.data());
}

}  // namespace wavegrid
