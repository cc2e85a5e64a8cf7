// A radial function without the wave numbers that a mesh cannot represent, on a finite radius.
//
//   f(r) = 1/(2 pi^2) int_0^gmax g^2 j_l(g r) F(g) dg
//
// F is given up to an inner wave number. Between that and gmax it is chosen such that as little as possible of f lies
// beyond the radius R: it minimises int_R^infinity (r f)^2 dr. R. D. King-Smith, M. C. Payne, J. S. Lin, Phys. Rev. B
// 44, 13063 (1991), 10.1103/PhysRevB.44.13063, Eqs. (15)-(22).
#pragma once

#include <functional>

#include "atoms/radial_function.hpp"

namespace wavegrid {

/// `transform`: F(g) = 4 pi int r^2 j_l(g r) f(r) dr for g >= 0 (1/bohr). `radius` (bohr) and `largest_g` are positive.
/// The result is 0 beyond the radius. Pure.
[[nodiscard]] RadialFunction filtered(int l, const std::function<double(double)>& transform, double radius,
                                      double largest_g);

}  // namespace wavegrid
