// The effective potential of a density, and the energies that depend on the density alone.
//
//   V_eff = V_local + V_H[n] + v_xc[n + n_core, m],   E_local = int V_local n,   E_H = 1/2 int V_H n
#pragma once

#include <algorithm>
#include <functional>
#include <utility>

#include "fields/xc_potential.hpp"

namespace wavegrid {

/// Energies of a density, Ha; xc with the core density.
struct DensityEnergies {
  double hartree = 0, xc = 0, local = 0;
};

/// Densities and potentials have as many components as the functional has spins, as in spin_fields.hpp. All members
/// are collective over the space.
template <FieldSpace Space>
class EffectivePotential {
 public:
  using Field = typename Space::Field;
  using Components = SpinComponents<Space>;

  /// `local`: the potential of the ions, Ha. The space must outlive this object.
  EffectivePotential(Space& space, XcPotential<Space> xc, Field local)
      : space_(space), xc_(std::move(xc)), local_(std::move(local)) {}

  [[nodiscard]] const XcPotential<Space>& xc() const { return xc_; }

  /// `density` and `values` are the same density, electrons/bohr^3.
  [[nodiscard]] DensityEnergies energies(const Components& density, const SpinFields& values) const {
    const double xc = xc_.energy(density, values);
    return {space_.coulomb_energy(density[0]), xc, space_.inner_product(local_, density[0])};
  }

  /// V_eff at this rank's points, Ha, one field per spin channel.
  [[nodiscard]] SpinFields potential(const Components& density, const SpinFields& values) const {
    SpinFields potential = xc_.evaluate(density, values).potential;
    Field smooth = space_.coulomb_potential(density[0]);
    for (std::size_t i = 0; i < smooth.size(); ++i) smooth[i] += local_[i];
    const FieldValues both = space_.to_values(smooth);
    for (FieldValues& channel : potential)
      std::transform(channel.begin(), channel.end(), both.begin(), channel.begin(), std::plus<>());
    return potential;
  }

 private:
  Space& space_;
  XcPotential<Space> xc_;
  Field local_;
};

}  // namespace wavegrid
