#include <algorithm>
#include <cmath>

#include <wavegrid/base/units.hpp>
#include <wavegrid/ions/coulomb_kernel.hpp>

namespace wavegrid {

namespace {

constexpr double zero = 1e-9;  ///< 1/bohr: shorter vectors are rounding errors of 0

double of_layers(double in_plane, double normal, double radius) {
  const double phase = normal * radius, g2 = in_plane * in_plane + normal * normal;
  if (g2 < zero * zero) return -2.0 * units::pi * radius * radius;
  if (in_plane < zero) return 4.0 * units::pi / g2 * (1.0 - std::cos(phase) - phase * std::sin(phase));
  return 4.0 * units::pi / g2 *
         (1.0 + std::exp(-in_plane * radius) * (normal / in_plane * std::sin(phase) - std::cos(phase)));
}

double of_chains(double along, double across, double radius) {
  constexpr double farthest = 600;  // where K is below the smallest number
  const double x = across * radius, y = along * radius, g2 = along * along + across * across;
  if (g2 < zero * zero) return units::pi * radius * radius * (1.0 - 2.0 * std::log(radius));
  if (along < zero) return 4.0 * units::pi * ((1.0 - ::j0(x)) / g2 - radius * std::log(radius) * ::j1(x) / across);
  if (y > farthest) return 4.0 * units::pi / g2;
  return 4.0 * units::pi / g2 *
         (1.0 + x * ::j1(x) * std::cyl_bessel_k(0.0, y) - y * ::j0(x) * std::cyl_bessel_k(1.0, y));
}

/// dv/dp of the above, p = in_plane.
double layers_slope(double in_plane, double normal, double radius) {
  const double phase = normal * radius, g2 = in_plane * in_plane + normal * normal;
  const double decay = std::exp(-in_plane * radius), wave = normal / in_plane * std::sin(phase);
  const double of_factor = -decay * (radius * (wave - std::cos(phase)) + wave / in_plane);
  return 4.0 * units::pi / g2 * of_factor - 2.0 * in_plane / g2 * of_layers(in_plane, normal, radius);
}

/// dv/dp of the above, p = along: d/dy of x J_1(x) K_0(y) - y J_0(x) K_1(y) is y J_0(x) K_0(y) - x J_1(x) K_1(y).
double chains_slope(double along, double across, double radius) {
  constexpr double farthest = 600;
  const double x = across * radius, y = along * radius, g2 = along * along + across * across;
  const double of_factor =
      y > farthest ? 0.0 : y * ::j0(x) * std::cyl_bessel_k(0.0, y) - x * ::j1(x) * std::cyl_bessel_k(1.0, y);
  return 4.0 * units::pi / g2 * radius * of_factor - 2.0 * along / g2 * of_chains(along, across, radius);
}

}  // namespace

CoulombKernel::CoulombKernel(const Lattice& lattice, const std::array<bool, 3>& periodic, double radius)
    : dimensions_(static_cast<int>(std::count(periodic.begin(), periodic.end(), true))), radius_(radius) {
  for (std::size_t i = 0; i < 3; ++i) {
    if (dimensions_ == 2 && !periodic[i]) axis_ = lattice.reciprocal()[i];
    if (dimensions_ == 1 && periodic[i]) axis_ = lattice.vectors()[i];
  }
  if (dimensions_ == 1 || dimensions_ == 2) axis_ = (1.0 / norm(axis_)) * axis_;
}

Vec3 CoulombKernel::along(const Vec3& vector) const {
  switch (dimensions_) {
    case 3:
      return vector;
    case 2:
      return vector - dot(vector, axis_) * axis_;
    case 1:
      return dot(vector, axis_) * axis_;
    default:
      return {0, 0, 0};
  }
}

double CoulombKernel::slope(const Vec3& g) const {
  const double p = norm(along(g)), rest = norm(g - along(g));
  if (p < zero) return 0.0;
  switch (dimensions_) {
    case 3:
      return -8.0 * units::pi / (p * p * p * p);
    case 2:
      return layers_slope(p, rest, radius_) / p;
    case 1:
      return chains_slope(p, rest, radius_) / p;
    default:
      return 0.0;
  }
}

double CoulombKernel::operator()(const Vec3& g) const {
  const double along = dot(g, axis_), across = norm(g - along * axis_), length = norm(g);
  switch (dimensions_) {
    case 3:
      return length > zero ? 4.0 * units::pi / (length * length) : 0.0;
    case 2:
      return of_layers(across, along, radius_);
    case 1:
      return of_chains(std::abs(along), across, radius_);
    default: {
      const double half = std::sin(0.5 * length * radius_);
      return length > zero ? 8.0 * units::pi * half * half / (length * length) : 2.0 * units::pi * radius_ * radius_;
    }
  }
}

}  // namespace wavegrid
