// The effective potential of a density, and the energies that depend on the density alone.
//
//   V_eff = V_local + V_H[n] + v_xc[n + n_core, m],   E_local = int V_local n,   E_H = 1/2 int V_H n
#pragma once

#include <algorithm>
#include <functional>
#include <utility>

#include "fields/density.hpp"
#include "fields/xc_potential.hpp"

namespace wavegrid {

/// Energies of a density, Ha; xc with the core density.
struct DensityEnergies {
  double hartree = 0, xc = 0, local = 0;
};

/// The potential of a density, with what gives E_xc of another density to first order.
struct LinearPotential {
  Potential potential{};   ///< V_eff
  double xc = 0;           ///< E_xc of its own density, Ha
  double xc_integral = 0;  ///< int (v_xc n + v_tau tau) of its own density, Ha
};

/// A density at this rank's points. Collective over the space.
template <FieldSpace Space>
[[nodiscard]] DensityValues values_of(Space& space, const Density<Space>& density) {
  DensityValues values;
  for (const auto& component : density.n) values.n.push_back(space.to_values(component));
  for (const auto& component : density.tau) values.tau.push_back(space.to_values(component));
  return values;
}

/// Densities and potentials have as many components as the functional has spins, as in spin_fields.hpp. All members
/// are collective over the space.
template <FieldSpace Space>
class EffectivePotential {
 public:
  using Field = typename Space::Field;

  /// `local`: the potential of the ions, Ha. The space must outlive this object.
  EffectivePotential(Space& space, XcPotential<Space> xc, Field local)
      : space_(space), xc_(std::move(xc)), local_(std::move(local)) {}

  [[nodiscard]] const XcPotential<Space>& xc() const { return xc_; }

  /// `density` and `values` are the same density.
  [[nodiscard]] DensityEnergies energies(const Density<Space>& density, const DensityValues& values) const {
    return energies_with(density, xc_.energy(density, values));
  }

  /// The same for the density of a potential, whose E_xc is known.
  [[nodiscard]] DensityEnergies energies(const Density<Space>& density, const LinearPotential& of_density) const {
    return energies_with(density, of_density.xc);
  }
  /// The same with E_xc to first order in the difference from the density `at` of `potential`: its error is of second
  /// order, and neither gradients nor the functional are computed. `work`: the energy of the density in the potential,
  /// int (V_eff n + v_tau tau).
  [[nodiscard]] DensityEnergies energies_near(const Density<Space>& at, const LinearPotential& potential,
                                              const Density<Space>& density, double work) const {
    return energies_with(density, potential.xc - potential.xc_integral + work -
                                      space_.inner_product(smooth_part(at.n[0]), density.n[0]));
  }

  /// V_eff at this rank's points.
  [[nodiscard]] Potential potential(const Density<Space>& density, const DensityValues& values) const {
    return linear_potential(density, values).potential;
  }
  [[nodiscard]] LinearPotential linear_potential(const Density<Space>& density, const DensityValues& values) const {
    SpinGradients fluxes = xc_.gradients(density.n);
    XcResult xc = xc_.at_points(values, fluxes);
    LinearPotential result{std::move(xc.potential), xc.energy, 0.0};
    SpinFields& v = result.potential.v;
    const Field smooth = smooth_part(density.n[0]);
    // With gradients one transform for each channel: of V_local + V_H minus the divergence.
    FieldValues part;
    for (std::size_t s = 0; s < v.size(); ++s) {
      if (xc_.xc().needs_gradient())
        part = space_.to_values(difference(smooth, xc_.divergence(fluxes, s)));
      else if (s == 0)
        part = space_.to_values(smooth);
      std::transform(part.begin(), part.end(), v[s].begin(), v[s].begin(), std::plus<>());
    }
    result.xc_integral = integral(v, values.n) - space_.inner_product(smooth, density.n[0]);
    if (xc_.xc().needs_tau()) result.xc_integral += integral(result.potential.v_tau, values.tau);
    return result;
  }

 private:
  [[nodiscard]] DensityEnergies energies_with(const Density<Space>& density, double xc) const {
    return {space_.coulomb_energy(density.n[0]), xc, space_.inner_product(local_, density.n[0])};
  }
  /// The sum over the channels of int V_s n_s.
  [[nodiscard]] double integral(const SpinFields& potential, const SpinFields& density) const {
    return space_.integrate([&](std::size_t i) {
      const double up = potential[0][i];
      if (potential.size() == 1) return up * density[0][i];
      const double down = potential[1][i];
      return 0.5 * ((up + down) * density[0][i] + (up - down) * density[1][i]);
    });
  }
  [[nodiscard]] static Field difference(const Field& a, Field b) {
    std::transform(a.begin(), a.end(), b.begin(), b.begin(), std::minus<>());
    return b;
  }
  /// V_local + V_H.
  [[nodiscard]] Field smooth_part(const Field& density) const {
    Field smooth = space_.coulomb_potential(density);
    for (std::size_t i = 0; i < smooth.size(); ++i) smooth[i] += local_[i];
    return smooth;
  }

  Space& space_;
  XcPotential<Space> xc_;
  Field local_;
};

}  // namespace wavegrid
