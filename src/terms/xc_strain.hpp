// The strain derivative of the exchange-correlation energy in a field space of three dimensions.
//
// Under a strain of the cell Omega n is constant at every point, a gradient changes as G does, and the shape of the
// core density is kept; the last term is that of core_density.hpp:
//
//   dE_xc/d eps_ab = delta_ab (E_xc - int sum_s (v_s n_s + v_tau,s tau_s)) - int sum_s de/d(d_a n_s) d_b n_s
//                    + [core_density.hpp] + [tau_strain.hpp]
//
// With finite differences the energy depends on the tau t_s of one orbital, too (fields/one_orbital_tau.hpp). It is
// treated as that of the bands, and cancels what de/d(d_a n_s) has by w_s but for the trace:
//
//   - 2/3 delta_ab int sum_s v_tau,s (w_s - t_s)
//
// A. Dal Corso, R. Resta, Phys. Rev. B 50, 4327 (1994), 10.1103/PhysRevB.50.4327.
#pragma once

#include <wavegrid/base/vec3.hpp>
#include <wavegrid/fields/xc_potential.hpp>
#include <wavegrid/terms/symmetric_sums.hpp>

namespace wavegrid {

/// Energy and potential of exchange and correlation with the strain derivative, Ha, symmetric, without the part of the
/// core density's shape and that of the bands in a meta-GGA.
struct StrainedXc {
  XcResult density_result;
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

/// int (v_up f_up + v_down f_down) of the components of a density f, Ha. Collective.
template <FieldSpace Space>
[[nodiscard]] double potential_energy(const Space& space, const SpinFields& v, const SpinFields& density,
                                      std::span<const double> core = {}) {
  return space.integrate([&](std::size_t r) {
    const double n = density[0][r] + (core.empty() ? 0.0 : core[r]);
    return v.size() == 1 ? v[0][r] * n : 0.5 * (v[0][r] * (n + density[1][r]) + v[1][r] * (n - density[1][r]));
  });
}

/// For a valence density, given as fields and as values. Collective.
template <FieldSpace Space>
[[nodiscard]] StrainedXc strained_xc(const Space& space, const XcPotential<Space>& xc, const Density<Space>& density,
                                     const DensityValues& values) {
  const SpinGradients slopes = xc.gradients(density.n);
  SpinGradients fluxes(slopes);
  StrainedXc result{xc.evaluate(values, fluxes), {}};
  const Potential& potential = result.density_result.potential;
  double xc_energy_of_potential = potential_energy(space, potential.v, values.n, xc.core_values());
  if (xc.xc().needs_tau()) xc_energy_of_potential += potential_energy(space, potential.v_tau, values.tau);
  result.strain = isotropic(result.density_result.energy - xc_energy_of_potential);
  const bool spins = xc.xc().spins() == 2;
  if (!slopes.empty()) result.strain = result.strain + -1.0 * flux_products(space, slopes, fluxes, spins);
  if (const auto orbital = xc.one_orbital(values, slopes))
    result.strain = result.strain + flux_products(space, slopes, orbital->fluxes_by_w(potential.v_tau), spins) +
                    isotropic(-2.0 / 3 * orbital->energy_of_change(potential.v_tau));
  return result;
}

}  // namespace wavegrid
