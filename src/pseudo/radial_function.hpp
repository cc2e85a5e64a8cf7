// Interpolation of a function of r that is given on a mesh.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include <wavegrid/pseudo/radial_coordinate.hpp>

namespace wavegrid {

/// Where a function with zeros at its outer end ends: at the first of them if its values are smooth up to it, else
/// somewhere after its last value; or at the first of them by definition. Projectors of PAW XML are of the second kind,
/// also where they jump (Ni, Fe): with polynomials up to there <p_i|phi~_j> is the unit matrix to 1e-5, with those of
/// both sides to 4e-5, which are 9e-6 Ha in Ni. The generator's own sums, by Simpson's rule, give it exactly.
enum class OuterEnd { detected, first_zero };

/// Interpolates with the polynomial of degree 9 through the ten nearest mesh points (fewer on smaller meshes) in the
/// coordinate in which the mesh is uniform, where it has one (radial_coordinate.hpp). Coarse logarithmic meshes (older
/// QE files have r_i+1 / r_i = 1.064) need this: with polynomials in r integrals have errors of 1e-6. Where the
/// function ends with a kink, such as a projector at its radius, the ten points lie on both sides of the kink, unless
/// the values are smooth up to a zero at a mesh point, at which it then ends: with points of both sides integrals err
/// by h^2/12 of the change of slope (2e-5 Ha for Al of JTH). Of other functions polynomials through points of one side
/// overshoot (1e-3 Ha for an O atom). An immutable value.
class RadialFunction {
 public:
  static constexpr std::size_t stencil = 10;  ///< points of a polynomial

  /// y[i] at the ascending radii r[i] >= 0, bohr, of which there may be more than values; below the first point y
  /// continues as r^power. Of zeros at the outer end as many are kept as the last stencils need. Throws internal_error
  /// if there are fewer radii than values or they are not ascending.
  RadialFunction(const std::vector<double>& r, const std::vector<double>& y, int power,
                 OuterEnd outer_end = OuterEnd::detected);

  /// y(r); 0 beyond r_max().
  [[nodiscard]] double operator()(double r) const;
  struct At {
    double value = 0, slope = 0;
  };
  /// y(r) and dy/dr of the same polynomial, r > 0.
  [[nodiscard]] At at(double r) const;

  /// Radii from 0 to r_max() between which the function is as smooth as the data. Mesh points closer than 0.01 bohr to
  /// the previous radius are left out: there, polynomials of neighbouring stencils differ only by their error.
  [[nodiscard]] std::vector<double> breaks() const;
  [[nodiscard]] double r_max() const { return r_.back(); }

 private:
  /// The mesh points of the polynomial at r: their number, coordinates, and values.
  struct Stencil {
    std::size_t used;
    const double* points;
    std::array<double, stencil> p;
  };
  [[nodiscard]] Stencil stencil_at(double r) const;

  RadialCoordinate coordinate_;
  int power_;
  std::vector<double> r_, x_, y_;  // x: the coordinate of the polynomials
};

/// The spacing of a uniform mesh that starts at 0; 0 for other meshes.
[[nodiscard]] double uniform_spacing(const std::vector<double>& r);

}  // namespace wavegrid
