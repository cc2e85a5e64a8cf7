#include "basis/g_sphere.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/error.hpp"
#include "base/units.hpp"

namespace wavegrid {

namespace {

/// Bound on |k_i + g_i| over the ball of radius sqrt(2 ecut): |a_i . (k+G)| <= |a_i| |k+G|.
double axis_bound(const Lattice& lattice, double ecut, std::size_t axis) {
  return norm(lattice.vectors()[axis]) * std::sqrt(2.0 * ecut) / (2.0 * units::pi);
}

std::string as_text(const Int3& n) {
  return std::to_string(n[0]) + " x " + std::to_string(n[1]) + " x " + std::to_string(n[2]);
}

}  // namespace

GSphere::GSphere(const Lattice& lattice, const Int3& grid)
    : lattice_(lattice), grid_(grid), counts_(grid[1], grid[2]), first_gx_(counts_.count.size()) {}

GSphere::GSphere(const Lattice& lattice, double ecut, const Int3& grid, Mode mode, const Vec3& k)
    : GSphere(lattice, grid) {
  mode_ = mode;
  k_ = k;
  kinetic_bound_ = ecut;
  if (!(ecut > 0)) throw bad_input("the cutoff must be positive, found " + std::to_string(ecut) + " Ha");
  if (mode == Mode::gamma && norm2(k) != 0) throw bad_input("the real Gamma mode needs k = 0");
  const double bound_y = axis_bound(lattice, ecut, 1);
  const double bound_z = axis_bound(lattice, ecut, 2);
  for (int gz = static_cast<int>(std::ceil(-bound_z - k[2])); gz <= std::floor(bound_z - k[2]); ++gz)
    for (int gy = static_cast<int>(std::ceil(-bound_y - k[1])); gy <= std::floor(bound_y - k[1]); ++gy)
      fill_stick(ecut, gy, gz);
}

void GSphere::fill_stick(double ecut, int gy, int gz) {
  // |(k_x + gx) b_x + rest|^2 <= 2 ecut is an interval of gx around the foot of the perpendicular. The ends are
  // decided by kinetic() itself, so that rounding gives the same points everywhere.
  const Vec3& bx = lattice_.reciprocal()[0];
  const Vec3 rest = lattice_.g_vector({0, k_[1] + gy, k_[2] + gz});
  const double foot = -dot(bx, rest) / norm2(bx);
  const double gap2 = 2.0 * ecut - norm2(rest + foot * bx);
  if (gap2 < -1e-9 * ecut) return;
  const double half_width = std::sqrt(std::max(gap2, 0.0) / norm2(bx));
  int lo = static_cast<int>(std::floor(foot - half_width - k_[0])) - 1;
  int hi = static_cast<int>(std::ceil(foot + half_width - k_[0])) + 1;
  const auto inside = [&](int gx) {
    return kinetic({gx, gy, gz}) <= ecut && (mode_ == Mode::complex || in_half({gx, gy, gz}));
  };
  while (lo <= hi && !inside(lo)) ++lo;
  while (hi >= lo && !inside(hi)) --hi;
  if (lo > hi) return;
  const int reach = std::max(std::abs(lo), std::abs(hi));
  if (2 * reach >= grid_[0] || 2 * std::abs(gy) >= grid_[1] || 2 * std::abs(gz) >= grid_[2])
    throw bad_input("the grid " + as_text(grid_) + " is too small for the cutoff: it needs at least " +
                    as_text(minimum_grid(lattice_, ecut)));
  const int stick = to_grid_index(gz, grid_[2]) * grid_[1] + to_grid_index(gy, grid_[1]);
  counts_.count[static_cast<std::size_t>(stick)] = hi - lo + 1;
  first_gx_[static_cast<std::size_t>(stick)] = lo;
}

GSphere GSphere::box(const Lattice& lattice, const Int3& grid) {
  GSphere sphere(lattice, grid);
  std::fill(sphere.counts_.count.begin(), sphere.counts_.count.end(), grid[0]);
  std::fill(sphere.first_gx_.begin(), sphere.first_gx_.end(), -(grid[0] / 2));
  for (const int x : {-1, 1})
    for (const int y : {-1, 1})
      sphere.kinetic_bound_ =
          std::max(sphere.kinetic_bound_, sphere.kinetic({x * grid[0] / 2, y * grid[1] / 2, grid[2] / 2}));
  return sphere;
}

Int3 GSphere::g(int stick, int n) const {
  return {first_gx(stick) + n, to_frequency(stick % grid_[1], grid_[1]), to_frequency(stick / grid_[1], grid_[2])};
}

double GSphere::kinetic(const Int3& g) const {
  return 0.5 * norm2(lattice_.g_vector({k_[0] + g[0], k_[1] + g[1], k_[2] + g[2]}));
}

Int3 largest_g(const Lattice& lattice, double ecut) {
  // The radius of the ball along an axis is an upper bound, but the largest integer point may be smaller; a loop over
  // all sticks is cheap and exact.
  Int3 bound{};
  for (std::size_t i = 0; i < 3; ++i) bound[i] = static_cast<int>(std::floor(axis_bound(lattice, ecut, i)));
  const Int3 large_grid{2 * bound[0] + 1, 2 * bound[1] + 1, 2 * bound[2] + 1};
  const GSphere sphere(lattice, ecut, large_grid, Mode::gamma);
  Int3 largest{};
  for (int stick = 0; stick < sphere.counts().num_sticks(); ++stick) {
    const int count = sphere.counts().count[static_cast<std::size_t>(stick)];
    if (count == 0) continue;
    for (const int n : {0, count - 1})
      for (std::size_t i = 0; i < 3; ++i) largest[i] = std::max(largest[i], std::abs(sphere.g(stick, n)[i]));
  }
  return largest;
}

Int3 minimum_grid(const Lattice& lattice, double ecut) {
  const Int3 g = largest_g(lattice, ecut);
  return {2 * g[0] + 1, 2 * g[1] + 1, 2 * g[2] + 1};
}

int smooth_size_from(int n) {
  for (;; ++n) {
    int rest = n;
    for (const int factor : {2, 3, 5, 7})
      while (rest % factor == 0) rest /= factor;
    if (rest == 1) return n;
  }
}

Int3 default_grid(const Lattice& lattice, double ecut) {
  const Int3 g = largest_g(lattice, ecut);
  return {smooth_size_from(4 * g[0] + 1), smooth_size_from(4 * g[1] + 1), smooth_size_from(4 * g[2] + 1)};
}

}  // namespace wavegrid
