#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/printable.hpp>
#include <wavegrid/base/units.hpp>
#include <wavegrid/basis/g_sphere.hpp>

namespace wavegrid {

namespace {

/// Bound on |k_i + g_i| over the ball of radius sqrt(2 ecut): |a_i . (k+G)| <= |a_i| |k+G|.
double axis_bound(const Lattice& lattice, double ecut, std::size_t axis) {
  return norm(lattice.vectors()[axis]) * std::sqrt(2.0 * ecut) / (2.0 * units::pi);
}

std::string as_text(const Int3& n) {
  return std::to_string(n[0]) + " x " + std::to_string(n[1]) + " x " + std::to_string(n[2]);
}

std::string limits_of_grids() {
  return "; valid: 1 to " + std::to_string(max_axis_points) + " points along each vector, " +
         std::to_string(max_plane_points) + " along two, " + std::to_string(max_grid_points) + " in all";
}

/// Whether so many points along each vector are within the limits.
bool is_small_enough(const Vec3& points) {
  const double longest = std::max({points[0], points[1], points[2]});
  const double all = points[0] * points[1] * points[2];
  return longest <= max_axis_points && all <= static_cast<double>(max_grid_points) &&
         all <= static_cast<double>(max_plane_points) * std::min({points[0], points[1], points[2]});
}

/// The k-point as messages name it.
std::string as_text(const Vec3& k) {
  char text[100];
  std::snprintf(text, sizeof text, "(%g, %g, %g)", k[0], k[1], k[2]);
  return text;
}

/// Throws bad_input where even the smallest grid of the sphere would be too large; allocates nothing.
void require_representable(const Lattice& lattice, double ecut) {
  if (!(ecut > 0) || !std::isfinite(ecut))
    throw bad_input("the cutoff must be positive and finite, found " + to_text(ecut) + " Ha");
  Vec3 points{};
  for (std::size_t i = 0; i < 3; ++i) points[i] = 2.0 * std::floor(axis_bound(lattice, ecut, i)) + 1.0;
  if (is_small_enough(points)) return;
  char text[160];
  std::snprintf(text, sizeof text, "a cutoff of %g Ha in a cell of %g bohr^3 needs an FFT grid of %.3g x %.3g x %.3g",
                ecut, lattice.volume(), points[0], points[1], points[2]);
  throw bad_input(std::string(text) + limits_of_grids());
}

/// The largest |g| along each axis over the sphere around -k.
Int3 max_indices(const Lattice& lattice, double ecut, Mode mode, const Vec3& k) {
  // The radius of the ball along an axis is an upper bound, but the largest integer point may be smaller; a loop over
  // all sticks is cheap and exact.
  Int3 grid{};
  for (std::size_t i = 0; i < 3; ++i)
    grid[i] = 2 * static_cast<int>(std::floor(axis_bound(lattice, ecut, i) + std::abs(k[i]))) + 1;
  const GSphere sphere(lattice, ecut, grid, mode, k);
  Int3 largest{};
  for (int stick = 0; stick < sphere.counts().num_sticks(); ++stick) {
    const int count = sphere.counts().count[static_cast<std::size_t>(stick)];
    if (count == 0) continue;
    for (const int n : {0, count - 1})
      for (std::size_t i = 0; i < 3; ++i) largest[i] = std::max(largest[i], std::abs(sphere.g(stick, n)[i]));
  }
  return largest;
}

Int3 twice_and_one(const Int3& g) { return {2 * g[0] + 1, 2 * g[1] + 1, 2 * g[2] + 1}; }

}  // namespace

void require_valid_grid(const Int3& grid) {
  const bool positive = std::all_of(grid.begin(), grid.end(), [](int n) { return n >= 1; });
  if (!positive || !is_small_enough({1.0 * grid[0], 1.0 * grid[1], 1.0 * grid[2]}))
    throw bad_input("the FFT grid is " + as_text(grid) + limits_of_grids());
}

GSphere::GSphere(const Lattice& lattice, const Int3& grid)
    : lattice_(lattice), grid_(grid), counts_(grid[1], grid[2]), first_gx_(counts_.count.size()) {}

GSphere::GSphere(const Lattice& lattice, double ecut, const Int3& grid, Mode mode, const Vec3& k)
    : GSphere(lattice, grid) {
  mode_ = mode;
  k_ = k;
  kinetic_bound_ = ecut;
  require_representable(lattice, ecut);
  if (!(std::max({std::abs(k[0]), std::abs(k[1]), std::abs(k[2])}) <= max_k))
    throw bad_input("the k-point " + as_text(k) + "; valid: from -" + std::to_string(max_k) + " to " +
                    std::to_string(max_k) + " reciprocal vectors");
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
    throw bad_input("the grid " + as_text(grid_) + " is too small for the plane waves of k = " + as_text(k_) +
                    "; valid: at least " + as_text(twice_and_one(max_indices(lattice_, ecut, mode_, k_))) +
                    (norm2(k_) == 0 ? "" : ", or an equivalent k nearer to 0"));
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

GSphere GSphere::from_sticks(const Int3& grid, Mode mode, StickCounts counts, std::vector<int> first_gx) {
  GSphere sphere = box(Lattice({{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}), grid);
  sphere.mode_ = mode;
  sphere.counts_ = std::move(counts);
  sphere.first_gx_ = std::move(first_gx);
  return sphere;
}

Int3 GSphere::g(int stick, int n) const {
  return {first_gx(stick) + n, to_frequency(stick % grid_[1], grid_[1]), to_frequency(stick / grid_[1], grid_[2])};
}

double GSphere::kinetic(const Int3& g) const {
  return 0.5 * norm2(lattice_.g_vector({k_[0] + g[0], k_[1] + g[1], k_[2] + g[2]}));
}

GSphere GSphere::shifted(const Vec3& shift) const {
  GSphere sphere(*this);
  sphere.k_ = k_ + shift;
  sphere.kinetic_bound_ = shifted_kinetic_bound(kinetic_bound_, lattice_.g_vector(shift));
  return sphere;
}

double shifted_kinetic_bound(double bound, const Vec3& shift) {
  const double longest = std::sqrt(2 * bound) + norm(shift);
  return 0.5 * longest * longest;
}

Int3 largest_g(const Lattice& lattice, double ecut) {
  require_representable(lattice, ecut);
  return max_indices(lattice, ecut, Mode::gamma, {0, 0, 0});
}

Int3 minimum_grid(const Lattice& lattice, double ecut) { return twice_and_one(largest_g(lattice, ecut)); }

int smooth_size_from(int n) {
  for (;; ++n) {
    int rest = n;
    for (const int factor : {2, 3, 5, 7})
      while (rest % factor == 0) rest /= factor;
    if (rest == 1) return n;
  }
}

Int3 smooth_grid(const Lattice& lattice, double ecut) {
  Int3 grid = minimum_grid(lattice, ecut);
  for (int& n : grid) n = smooth_size_from(n);
  require_valid_grid(grid);
  return grid;
}

Int3 default_grid(const Lattice& lattice, double ecut) {
  const Int3 g = largest_g(lattice, ecut);
  const Int3 grid{smooth_size_from(4 * g[0] + 1), smooth_size_from(4 * g[1] + 1), smooth_size_from(4 * g[2] + 1)};
  require_valid_grid(grid);
  return grid;
}

}  // namespace wavegrid
