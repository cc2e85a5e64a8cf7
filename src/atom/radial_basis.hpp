// The basis of the atomic solver: even-tempered Gaussians r^l exp(-a r^2) with exponents in geometric progression.
// D. F. Feller, K. Ruedenberg, Theor. Chim. Acta 52, 231 (1979), 10.1007/BF00547681.
#pragma once

#include <span>

#include <wavegrid/atom/radial_grid.hpp>
#include <wavegrid/linalg/bands.hpp>

namespace wavegrid {

/// Orthonormal combinations f_i of the Gaussians of one angular momentum, int r^2 f_i f_j dr = delta_ij; combinations
/// that are linearly dependent to 1e-7 are left out. An immutable value.
class RadialBasis {
 public:
  RadialBasis(const RadialGrid& grid, int l);

  [[nodiscard]] Index size() const { return functions_.columns(); }
  /// <f_i| -1/2 d^2/dr^2 + l(l+1)/2r^2 |f_j> in Ha, from the closed form.
  [[nodiscard]] const Matrix<double>& kinetic() const { return kinetic_; }
  /// Adds int r^2 f_i V f_j dr to h (size, size). V[0] is not read: it may be infinite, and its weight is 0.
  void add_potential(const RadialValues& potential, Matrix<double>& h) const;
  /// int r^2 f_i g dr for each i; g[0] is not read.
  [[nodiscard]] std::vector<double> overlaps(const RadialValues& g) const;
  /// sum_i c_i f_i(r).
  [[nodiscard]] RadialValues combine(std::span<const double> coefficients) const;

 private:
  RadialValues weights_;      // spacing * r^2
  Matrix<double> functions_;  // (points, size), bohr^-3/2
  Matrix<double> kinetic_;    // (size, size), Ha
};

}  // namespace wavegrid
