// A radial function for a grid of points: on a finite radius, and nearly without the wave numbers that the grid
// aliases.
//
//   f(r) = (r/R)^l (1 - (r/R)^2)^2 sum_n c_n T_n(2 (r/R)^2 - 1) for r < R, else 0
//
// The coefficients minimise int_0^g1 g^2 |F - F_given|^2 dg + int_g2^infinity g^2 |F|^2 dg of the transform F; between
// the two wave numbers F is free. This is the problem of R. D. King-Smith, M. C. Payne, J. S. Lin, Phys. Rev. B 44,
// 13063 (1991), 10.1103/PhysRevB.44.13063, turned round: they keep F exact and minimise what lies outside the radius,
// where f is then cut off. The errors are as small, and without a step at the radius sums over points are smooth
// functions of the position (decision 0020).
#pragma once

#include <functional>

#include "atoms/radial_function.hpp"

namespace wavegrid {

/// All positive: bohr, 1/bohr.
struct FilterRange {
  double radius;
  double inner_g;    ///< g1: up to here F is as given
  double largest_g;  ///< g2, above g1: from here on F is 0
};

/// f(r) and its derivative, both 0 from the radius on.
struct FilteredFunction {
  RadialFunction value, slope;
};

/// `transform`: F(g) = 4 pi int r^2 j_l(g r) f(r) dr for g >= 0 (1/bohr). Pure.
[[nodiscard]] FilteredFunction filtered(int l, const std::function<double(double)>& transform,
                                        const FilterRange& range);

}  // namespace wavegrid
