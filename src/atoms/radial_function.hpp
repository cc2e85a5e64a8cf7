// A function of r given on a mesh, between the mesh points.
#pragma once

#include <vector>

namespace wavegrid {

/// Interpolates with the polynomial of degree 9 through the ten nearest mesh points (fewer where there are fewer) in
/// the coordinate in which the mesh is uniform: ln r for a logarithmic mesh, else r. Coarse logarithmic meshes (QE's
/// older files have r_i+1 / r_i = 1.064) need that: with the same polynomials in r integrals are wrong by 1e-6. An
/// immutable value.
class RadialFunction {
 public:
  /// y[i] at the rising radii r[i] >= 0, bohr; below the first point y continues as r^power. Zeros at the outer end are
  /// dropped but for a few. Throws internal_error where the sizes differ or the radii do not rise.
  RadialFunction(const std::vector<double>& r, const std::vector<double>& y, int power);

  /// y(r); 0 beyond r_max().
  [[nodiscard]] double operator()(double r) const;

  /// Radii from 0 to r_max() between which the function is as smooth as the data. Not all mesh points: those closer
  /// than 0.01 bohr to the last are left out, polynomials through neighbouring stencils differing by their error alone.
  [[nodiscard]] std::vector<double> breaks() const;
  [[nodiscard]] double r_max() const { return r_.back(); }

 private:
  bool logarithmic_ = false;
  int power_;
  std::vector<double> r_, x_, y_;  // x: the coordinate of the polynomials
};

}  // namespace wavegrid
