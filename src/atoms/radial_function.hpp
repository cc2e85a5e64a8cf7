// A function of r given on a mesh, between the mesh points.
#pragma once

#include <vector>

namespace wavegrid {

/// Interpolates with the polynomial of degree 7 through the eight nearest mesh points (fewer where there are fewer),
/// whatever the mesh: linear, logarithmic, or neither. An immutable value.
class RadialFunction {
 public:
  /// y[i] at the rising radii r[i] >= 0, bohr. Points closer than `finest` to their neighbour are left out, since the
  /// innermost points of a logarithmic mesh carry more rounding than shape. Zeros at the outer end are dropped but for
  /// one. Throws internal_error where the sizes differ or the radii do not rise.
  RadialFunction(const std::vector<double>& r, const std::vector<double>& y, double finest = 0.004);

  /// y(r); 0 beyond r_max(); inside the first point the polynomial goes on.
  [[nodiscard]] double operator()(double r) const;

  /// The radii in use, from 0 on: between two neighbours the function is one polynomial.
  [[nodiscard]] std::vector<double> breaks() const;
  [[nodiscard]] double r_max() const { return r_.back(); }

 private:
  std::vector<double> r_, y_;
};

}  // namespace wavegrid
