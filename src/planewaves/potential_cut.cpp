#include <algorithm>
#include <cmath>
#include <limits>

#include <wavegrid/base/units.hpp>
#include <wavegrid/planewaves/potential_cut.hpp>

namespace wavegrid {

namespace {

constexpr double rounding = 1e-10;  // of |G|^2, relative

/// The radius of the largest sphere inside the FFT box, 1/bohr: its face at n/2 along axis i has the distance
/// pi n / |a_i| from the origin.
double radius_inside(const Lattice& lattice, const Int3& grid) {
  double radius = std::numeric_limits<double>::max();
  for (std::size_t i = 0; i < 3; ++i) radius = std::min(radius, units::pi * grid[i] / norm(lattice.vectors()[i]));
  return radius;
}

std::vector<char> inside_sphere(const PlaneWaves& box, double limit) {
  std::vector<char> inside;
  inside.reserve(box.kinetic().size());
  for (const double kinetic : box.kinetic()) inside.push_back(kinetic <= limit);
  return inside;
}

}  // namespace

std::vector<char> inside_potential_cut(const PlaneWaves& box, const Int3& grid, double ecut) {
  const double g_max = std::min(radius_inside(box.lattice(), grid), 2.0 * std::sqrt(2.0 * ecut));
  return inside_sphere(box, 0.5 * g_max * g_max * (1.0 + rounding));
}

std::vector<char> inside_density_cut(const PlaneWaves& box, double density_ecut) {
  return inside_sphere(box, density_ecut * (1.0 + rounding));
}

double transfer_cut(const Lattice& lattice, const Int3& bands_grid, double ecut, double density_ecut) {
  const double radius = radius_inside(lattice, bands_grid);
  return std::min(0.5 * radius * radius * (1.0 - rounding), std::min(4.0 * ecut, density_ecut) * (1.0 + rounding));
}

}  // namespace wavegrid
