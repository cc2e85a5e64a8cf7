// Meta-GGAs of electrons that flow: tau is that of the electrons in the frame in which they have no current,
//
//   tau_s - j_s^2 / (2 n_s),   with the operator   1/2 (p - u_s) v_tau (p - u_s),   u_s = j_s / n_s
//
// as the derivative of E_xc by the bands: what is added is v_tau u^2/2 to the potential and -v_tau u to dE/dj. With it
// the functional does not depend on gauges or frames, and the current of the bands is that of their density. A. D.
// Becke, J. Chem. Phys. 117, 6935 (2002), 10.1063/1.1503772; J. Tao, Phys. Rev. B 71, 205107 (2005),
// 10.1103/PhysRevB.71.205107; J. E. Bates, F. Furche, J. Chem. Phys. 137, 164105 (2012), 10.1063/1.4759080.
//
// Where there are hardly any electrons nothing bounds u: 1/n is replaced by n / (n^2 + 1e-14 bohr^-6), with the exact
// derivatives of that.
#pragma once

#include <cstddef>
#include <utility>

#include <wavegrid/fields/field_space.hpp>
#include <wavegrid/scf/electron_solver.hpp>

namespace wavegrid {

/// Derivatives of -(tau taken off), of each spin.
struct Flow {
  SpinFields by_current{};  ///< -u, three components of each, bohr Ha/hbar
  SpinFields by_density{};  ///< u^2/2, Ha
};

/// Takes the flow off tau; `current`: of each spin, three components of each. Collective over the space.
template <FieldSpace Space>
[[nodiscard]] Flow take_off_flow(Space& space, SpinFields current, ElectronDensity<Space>& density) {
  constexpr double least = 1e-14;  // 1/bohr^6
  const SpinFields& n = density.values.n;
  SpinFields& tau = density.values.tau;
  const std::size_t spins = n.size();
  Flow flow{std::move(current), SpinFields(spins, FieldValues(n[0].size()))};
  for (std::size_t s = 0; s < spins; ++s)
    for (std::size_t i = 0; i < n[0].size(); ++i) {
      const double sign = s == 0 ? 1 : -1, of_spin = spins == 1 ? n[0][i] : 0.5 * (n[0][i] + sign * n[1][i]);
      const double square = of_spin * of_spin, inverse = of_spin / (square + least);
      double j2 = 0;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        double& j = flow.by_current[3 * s + axis][i];
        j2 += j * j;
        j *= -inverse;
      }
      flow.by_density[s][i] = 0.5 * j2 * (square - least) / ((square + least) * (square + least));
      tau[0][i] -= 0.5 * j2 * inverse;
      if (spins == 2) tau[1][i] -= sign * 0.5 * j2 * inverse;
    }
  for (std::size_t c = 0; c < tau.size(); ++c) density.fields.tau[c] = space.to_field(tau[c]);
  return flow;
}

/// Adds the flow's part of the derivative to a potential with v_tau. Local.
inline void add_flow(Flow flow, Potential& potential) {
  potential.v_current = std::move(flow.by_current);
  for (std::size_t s = 0; s < potential.v.size(); ++s)
    for (std::size_t i = 0; i < potential.v[s].size(); ++i) {
      const double v_tau = potential.v_tau[s][i];
      potential.v[s][i] += v_tau * flow.by_density[s][i];
      for (std::size_t axis = 0; axis < 3; ++axis) potential.v_current[3 * s + axis][i] *= v_tau;
    }
}

}  // namespace wavegrid
