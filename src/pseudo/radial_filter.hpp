// A radial function for a grid of points: on a finite radius, and nearly without the wave numbers that the grid
// aliases.
//
//   f(r) = (r/R)^l (1 - (r/R)^2)^2 sum_n c_n T_n(2 (r/R)^2 - 1) for r < R, else 0
//
// The coefficients minimise int_0^g1 w g^2 (|F - F_given|^2 + |g F' - g F_given'|^2) dg + int_g2^infinity w g^2 (|F|^2
// + |g F'|^2) dg of the transform F, with or without the terms of F' = dF/dg; between the two wave numbers F is free.
// This is the problem of R. D. King-Smith, M. C. Payne, J. S. Lin, Phys. Rev. B 44, 13063
// (1991), 10.1103/PhysRevB.44.13063, turned round: they keep F exact and minimise what lies outside the radius, where f
// is then cut off. The errors are as small, and without a step at the radius sums over points are smooth functions of
// the position (decision 0020).
#pragma once

#include <functional>

#include <wavegrid/pseudo/radial_function.hpp>

namespace wavegrid {

struct FilterRange {
  double radius;     ///< bohr, positive
  double inner_g;    ///< g1 (1/bohr, positive): up to here F is as given
  double largest_g;  ///< g2, above g1: from here on F is 0
  std::function<double(double)> weight_below = one, weight_beyond = one;  ///< w up to g1, and from g2 on
  bool stretched = false;  ///< with g dF/dg in the integrals: the filter keeps derivatives with respect to a strain
  double damping = 1e-14;  ///< of the coefficients: where it is too small, F between the two wave numbers is so large
                           ///< that sums over points lose digits

  static double one(double /*g*/) { return 1; }
};

/// F(g) = 4 pi int r^2 j_l(g r) f(r) dr for g >= 0 (1/bohr), and dF/dg.
struct RadialSpectrum {
  std::function<double(double)> value, slope;
};

/// f(r) and its derivative, both 0 from the radius on.
struct FilteredFunction {
  RadialFunction value, slope;
};

/// Pure.
[[nodiscard]] FilteredFunction filtered(int l, const RadialSpectrum& given, const FilterRange& range);

}  // namespace wavegrid
