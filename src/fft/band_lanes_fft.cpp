#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numbers>

#include <wavegrid/fft/band_lanes_fft.hpp>

namespace wavegrid {

namespace {

constexpr int max_radix = 10;

/// The factors of n, the first one not below the second, as near to each other as possible; {0, 0} if there are none.
std::array<int, 2> two_factors(int n) {
  for (int second = static_cast<int>(std::sqrt(static_cast<double>(n))); second > 1; --second)
    if (n % second == 0 && n / second <= max_radix) return {n / second, second};
  return {0, 0};
}

template <class Real>
std::vector<Real> factors_for(int n, int first, int second) {
  std::vector<Real> factors;
  for (int j = 0; j < second; ++j)
    for (int k = 0; k < first; ++k) {
      const double angle = 2 * std::numbers::pi * j * k / n;
      factors.push_back(static_cast<Real>(std::cos(angle)));
      factors.push_back(static_cast<Real>(std::sin(angle)));
    }
  return factors;
}

}  // namespace

template <class Real>
bool BandLanesFft<Real>::handles(const Int3& grid) {
  return std::all_of(grid.begin(), grid.end(), [](int n) { return two_factors(n)[0] > 0; });
}

template <class Real>
BandLanesFft<Real>::BandLanesFft(const GSphere& sphere, const BandLanesKernels<Real>& kernels) : kernels_(kernels) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const int n = sphere.grid()[axis];
    const auto [first, second] = two_factors(n);
    factors_.push_back(factors_for<Real>(n, first, second));
    plan_.to_grid[axis] = {n, first, second, factors_.back().data()};
    factors_.push_back(factors_for<Real>(n, second, first));
    plan_.to_sphere[axis] = {n, second, first, factors_.back().data()};
  }
  plan_.pairs = sphere.mode() == Mode::gamma;
  add_sticks(sphere);
  plan_.num_sticks = static_cast<int>(sticks_.size());
  plan_.sticks = sticks_.data();
  plan_.planes = planes_.data();
  plan_.plane_lines = plane_lines_.data();
}

/// Lines along x, plane by plane, and the sticks that fill them.
template <class Real>
void BandLanesFft<Real>::add_sticks(const GSphere& sphere) {
  const int ny = sphere.grid()[1], nz = sphere.grid()[2];
  const std::vector<int>& counts = sphere.counts().count;
  const auto mirror = [&](int address) { return (nz - address / ny) % nz * ny + (ny - address % ny) % ny; };
  const auto count = [&](int address) { return counts[static_cast<std::size_t>(address)]; };
  std::vector<int> line(counts.size(), -1);
  for (int address = 0; address < ny * nz; ++address)
    if (count(address) > 0 || (plan_.pairs && count(mirror(address)) > 0))
      line[static_cast<std::size_t>(address)] = plan_.num_lines++;
  for (int z = 0; z < nz; ++z) {
    const auto row = line.begin() + Index{z} * ny;
    const bool is_empty = std::all_of(row, row + ny, [](int one) { return one < 0; });
    planes_.push_back(is_empty ? -1 : plan_.num_planes++);
    if (!is_empty) plane_lines_.insert(plane_lines_.end(), row, row + ny);
  }
  for (int address = 0; address < ny * nz; ++address) {
    if (count(address) == 0) continue;
    const int reflected = plan_.pairs ? line[static_cast<std::size_t>(mirror(address))] : -1;
    sticks_.push_back(
        {plan_.size, count(address), sphere.first_gx(address), line[static_cast<std::size_t>(address)], reflected});
    plan_.size += count(address);
  }
}

template <class Real>
int BandLanesFft<Real>::lanes_for(int bands) const {
  const auto needed = static_cast<unsigned>(plan_.pairs ? (bands + 1) / 2 : bands);
  return std::max(kernels_.least, static_cast<int>(std::bit_ceil(needed)));
}

template <class Real>
Index BandLanesFft<Real>::most_work_bytes(const FftLayout& layout) {
  if (!handles(layout.grid)) return 0;
  BandLanesPlan<Real> plan;
  for (std::size_t axis = 0; axis < 3; ++axis) plan.to_grid[axis].n = plan.to_sphere[axis].n = layout.grid[axis];
  plan.pairs = layout.mode == Mode::gamma;
  const int mirrored = plan.pairs ? 2 : 1;
  plan.num_lines = mirrored * static_cast<int>(layout.my_sticks.size());
  plan.num_planes = mirrored * static_cast<int>(layout.my_planes.size());
  const BandLanesKernels<Real>& kernels = *band_lanes_kernels<Real>().front();
  return kernels.work_bytes(plan, kernels.most);
}

template <class Real>
BandLanesBlock<Real> BandLanesFft<Real>::block(const BandRows<Real>& rows, int bands, void* work) const {
  const int lanes = lanes_for(rows.arrays() * bands);
  return {reinterpret_cast<const Real*>(rows.psi),
          rows.spinors ? 2 * bands : bands,
          lanes,
          work,
          rows.laplacians,
          rows.spinors};
}

template <class Real>
void BandLanesFft<Real>::apply(const BandRows<Real>& rows, int bands, const BandLanesFactors<Real>& factors,
                               Complex* out, void* work) const {
  kernels_.apply(plan_, block(rows, bands, work), factors, reinterpret_cast<Real*>(out));
}

template <class Real>
void BandLanesFft<Real>::accumulate(const BandRows<Real>& rows, int bands, const double* weights,
                                    const BandLanesSums& sums, void* work) const {
  kernels_.accumulate(plan_, block(rows, bands, work), weights, sums);
}

template class BandLanesFft<float>;
template class BandLanesFft<double>;

}  // namespace wavegrid
