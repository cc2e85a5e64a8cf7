// What a self-consistency loop iterates: the density of the electrons in all that energy terms need of it, and the
// derivative of the energy with respect to it.
//
//   dE = sum_s int (v_s dn_s + v_tau,s dtau_s) dr + sum_s sum_a,ij h_s,a,ij drho_s,a,ij
//
// with tau_s = 1/2 sum_i f_i |grad psi_i|^2 and rho_s,a,ij = sum_i f_i <psi_i|p_ai><p_aj|psi_i> of the bands of spin s.
#pragma once

#include <wavegrid/fields/atom_matrices.hpp>
#include <wavegrid/fields/spin_fields.hpp>

namespace wavegrid {

/// A density in the representation of a space.
template <class Space>
struct Density {
  SpinComponents<Space> n{};    ///< electrons/bohr^3: total, and the magnetisation with spin
  SpinComponents<Space> tau{};  ///< kinetic-energy density, Ha/bohr^3, same components; empty where no term needs it
  SpinMatrices matrices{};      ///< rho_a,ij, same components, real; empty where no term needs them
};

/// The same density at this rank's points.
struct DensityValues {
  SpinFields n{};    ///< electrons/bohr^3
  SpinFields tau{};  ///< Ha/bohr^3; empty where no term needs it
  SpinMatrices matrices{};
};

/// The derivative of the energy at this rank's points: what acts on spin up, or on all electrons, and on spin down; or
/// V, B_x, B_y, B_z.
struct Potential {
  SpinFields v{};      ///< Ha
  SpinFields v_tau{};  ///< dimensionless, dE/dtau: H has -1/2 div(v_tau grad); empty where no term needs tau
  /// bohr Ha/hbar, dE/dj of the current j of each spin, three Cartesian components of each: H has 1/2 (a.p + p.a);
  /// empty but for meta-GGAs in time.
  SpinFields v_current{};
  SpinMatrices matrices{};  ///< h_a,ij, Ha: the derivative by rho_ij at fixed n; empty where no term needs them
  /// D of the projectors for each spin, Ha (augmentation_charge.hpp); empty where they do not depend on the density.
  SpinMatrices couplings{};

  /// Of OperatorPotential: 1, 2 with v_tau, 5 with v_current besides, or 4 with a vector magnetisation.
  [[nodiscard]] int num_fields() const {
    if (has_vector(v)) return 4;
    if (v_tau.empty()) return 1;
    return v_current.empty() ? 2 : 5;
  }
};

}  // namespace wavegrid
