// The strain derivative of the exchange-correlation energy in a field space of three dimensions.
//
// Under a strain of the cell Omega n is constant at every point, a gradient changes as G does, and the shape of the
// core density is kept; the last term is that of core_density.hpp:
//
//   dE_xc/d eps_ab = delta_ab (E_xc - int sum_s v_s n_s) - int sum_s de/d(d_a n_s) d_b n_s + [core_density.hpp]
//
// A. Dal Corso, R. Resta, Phys. Rev. B 50, 4327 (1994), 10.1103/PhysRevB.50.4327.
#pragma once

#include "base/vec3.hpp"
#include "fields/xc_potential.hpp"
#include "terms/symmetric_sums.hpp"

namespace wavegrid {

/// Energy and potential of exchange and correlation with the strain derivative, Ha, symmetric, without the part of the
/// core density's shape.
struct StrainedXc {
  XcResult of_density;
  Mat3 strain{};
};

/// int sum_s de/d(d_a n_s) d_b n_s, Ha, symmetrised, of gradients of the components and of the derivatives by those of
/// the channels. Collective.
template <FieldSpace Space>
[[nodiscard]] Mat3 flux_products(const Space& space, const SpinGradients& slopes, const SpinGradients& fluxes,
                                 bool spins) {
  const auto product = [&](std::size_t a, std::size_t b) {
    return space.integrate([&](std::size_t r) {
      if (!spins) return fluxes[a][r] * slopes[b][r];
      return 0.5 *
             (fluxes[a][r] * (slopes[b][r] + slopes[3 + b][r]) + fluxes[3 + a][r] * (slopes[b][r] - slopes[3 + b][r]));
    });
  };
  Mat3 sums{};
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t b = 0; b < 3; ++b) {
      const double half = 0.5 * product(a, b);
      sums[a][b] += half;
      sums[b][a] += half;
    }
  return sums;
}

/// For a valence density, given as fields and as values. Collective.
template <FieldSpace Space>
[[nodiscard]] StrainedXc strained_xc(const Space& space, const XcPotential<Space>& xc,
                                     const SpinComponents<Space>& density, const SpinFields& values) {
  const SpinGradients slopes = xc.gradients(density);
  SpinGradients fluxes(slopes);
  StrainedXc result{xc.evaluate(density, values, fluxes), {}};
  const SpinFields& v = result.of_density.potential;
  const bool spins = xc.xc().spins() == 2;
  const double work = space.integrate([&](std::size_t r) {
    const double n = values[0][r] + (xc.has_core() ? xc.core_values()[r] : 0.0);
    return !spins ? v[0][r] * n : 0.5 * (v[0][r] * (n + values[1][r]) + v[1][r] * (n - values[1][r]));
  });
  result.strain = isotropic(result.of_density.energy - work);
  if (!slopes.empty()) result.strain = result.strain + -1.0 * flux_products(space, slopes, fluxes, spins);
  return result;
}

}  // namespace wavegrid
