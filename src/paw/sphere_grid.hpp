// Points in a sphere around an atom: radii times directions, with the real harmonics of the directions.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include <wavegrid/base/vec3.hpp>
#include <wavegrid/basis/sphere_quadrature.hpp>

namespace wavegrid {

/// Radii are those of Gauss and Legendre in x, r = R x^3: close together at the nucleus, where all-electron densities
/// change within 1/Z. An immutable value.
class SphereGrid {
 public:
  /// `breaks`: rising radii up to R, bohr, between which functions are smooth; about `radii` radii, and six more for
  /// each break. Directions are exact for harmonics whose l add up to `degree`; harmonics are those of all L up to
  /// `largest_l`.
  SphereGrid(const std::vector<double>& breaks, int radii, int largest_l, int degree);

  [[nodiscard]] std::size_t num_radii() const { return r_.size(); }
  [[nodiscard]] std::size_t num_directions() const { return directions_.size(); }
  [[nodiscard]] std::size_t num_harmonics() const { return harmonics_; }
  [[nodiscard]] const std::vector<double>& r() const { return r_; }  ///< rising, bohr
  /// Of r^2 dr.
  [[nodiscard]] double radial_weight(std::size_t k) const { return weights_[k]; }

  [[nodiscard]] const Vec3& direction(std::size_t d) const { return directions_.direction(d); }
  [[nodiscard]] double angular_weight(std::size_t d) const { return directions_.weight(d); }  ///< their sum is 4 pi
  /// Y_LM of all directions, and r dY_LM/dx_axis: arrays (LM, directions) with LM = harmonic_index(L, M).
  [[nodiscard]] const std::vector<double>& harmonics() const { return values_; }
  [[nodiscard]] const std::vector<double>& harmonic_gradients(std::size_t axis) const { return gradients_[axis]; }

 private:
  std::vector<double> r_, weights_;
  SphereQuadrature directions_;
  std::size_t harmonics_;
  std::vector<double> values_;
  std::array<std::vector<double>, 3> gradients_;
};

}  // namespace wavegrid
