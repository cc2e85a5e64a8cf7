// A functional where the kinetic-energy density is below that of one orbital with the same density,
//
//   tau_s >= w_s = |grad n_s|^2 / (8 n_s)
//
// Finite differences of bands on a mesh break the bound where one orbital prevails (hydrogen, a bond, an interstice):
// by little, but a functional has no bounded derivative there, or none at all. It is continued below the bound by
// reflection,
//
//   e(n, sigma, tau) = 2 e(n, sigma, w) - e(n, sigma, 2 w - tau),
//
// which is smooth at the bound and changes nothing above it. C. F. von Weizsaecker, Z. Phys. 96, 431 (1935),
// 10.1007/BF01337700.
//
// Mixing of densities can leave nearly nothing of n_s where its gradient and tau_s are not small: w diverges there, and
// with it the derivatives. The gradient of such a channel is scaled so that w exceeds tau by at most that of the
// uniform gas, u = 3/10 (6 pi^2)^(2/3) n_s^(5/3):
//
//   w -> t + u tanh((w - t) / u),   t = max(tau, 0)
//
// Densities of bands stay as they are: below the bound by 0.04 u, w changes by 2e-5 u.
#pragma once

#include <cstddef>

#include <wavegrid/xc/xc.hpp>

namespace wavegrid {

/// Points of one call of evaluate_bounded(), at most.
inline constexpr std::size_t bounded_points = 256;

/// Xc::evaluate() with this continuation; derivatives are those of the continued energy where one channel alone is
/// below its bound, and to first order in the violation where both are. Pointwise, no allocation. Thread-safe.
void evaluate_bounded(const Xc& xc, const Xc::Points& points, const Xc::Values& values);

}  // namespace wavegrid
