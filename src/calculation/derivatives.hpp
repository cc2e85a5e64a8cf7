// Forces on the atoms and stress of the cell at the end of a self-consistent calculation.
//
// The free energy is stationary with respect to bands and occupations, so that only terms that depend explicitly on
// positions and cell contribute (H. Hellmann, 1937; R. P. Feynman, Phys. Rev. 56, 340 (1939), 10.1103/PhysRev.56.340;
// with smearing M. Weinert, J. W. Davenport, Phys. Rev. B 45, 13709 (1992), 10.1103/PhysRevB.45.13709; the stress O. H.
// Nielsen, R. M. Martin, Phys. Rev. B 32, 3780 (1985), 10.1103/PhysRevB.32.3780). The stress is that of a fixed set of
// plane waves.
//
// A density that is not fully self-consistent causes an error of first order. Most of it is removed by a correction in
// which the atomic densities move with the atoms:
//
//   F_correction = -int (V_out - V_in) d n_atom / d tau,   V_in of the input density, V_out of the output density
//
// With two spins n_atom has their shares of the output density at each point. With equal shares the potential of a spin
// that is empty would count, which follows the cube root of what mixing has left of its density.
//
// C. T. Chan, K. P. Bohnen, K. M. Ho, Phys. Rev. B 47, 4771 (1993), 10.1103/PhysRevB.47.4771; for the stress likewise.
#pragma once

#include <optional>
#include <vector>

#include <wavegrid/atom/pseudo_atom.hpp>
#include <wavegrid/crystal/space_group.hpp>
#include <wavegrid/fields/energy_term.hpp>
#include <wavegrid/problem/problem.hpp>
#include <wavegrid/scf/scf_listeners.hpp>
#include <wavegrid/scf/scf_system.hpp>

namespace wavegrid {

/// Forces, Ha/bohr, Cartesian, one per atom in the crystal's order; symmetrised. They are those of the free energy.
struct Forces {
  std::vector<Vec3> total;  ///< of all terms; the sum over the atoms is that of EnergyTerm::net_force, no torque
  NamedForces terms;        ///< `nlcc`: of the core densities; `scf_correction`: see above
  Vec3 net{0, 0, 0};        ///< subtracted in equal parts: the error of the sum by grid and tolerance
  /// Of a molecule without periodic directions: subtracted as net_torque.hpp says, Ha, about the middle of the atoms.
  std::optional<Vec3> torque = std::nullopt;
};

/// 1/Omega dF/d eps_ab, Ha/bohr^3, Cartesian, symmetric and symmetrised: positive if shrinking the cell lowers the
/// energy.
struct Stress {
  Mat3 total{};        ///< of all terms
  NamedStrains terms;  ///< `local_g0`, `nlcc`, `scf_correction` as the energies and forces of these names

  /// -1/3 of the trace, Ha/bohr^3: positive if expanding the cell lowers the energy.
  [[nodiscard]] double pressure() const { return -(total[0][0] + total[1][1] + total[2][2]) / 3.0; }
};

/// The derivatives that were requested.
struct Derivatives {
  std::optional<Forces> forces;
  std::optional<Stress> stress;
};

/// What the sum of the forces on all atoms has to be: that of EnergyTerm::net_force in a ground state, whose electrons
/// take no momentum, and likewise the torque; whatever it is while electrons move.
enum class NetForce { corrected, kept };

/// Derivatives of the free energy at the end of the loop over `system`. `exchange_strain`: of exact exchange, Ha; its
/// functions do not depend on positions. Collective over all ranks, with the same result on all.
template <class S, class Space>
[[nodiscard]] Derivatives compute_derivatives(const ScfSystem<S, Space>& system, const Problem& problem,
                                              const std::vector<PseudoAtom>& pseudo_atoms, const ScfEnd<Space>& end,
                                              const std::optional<Mat3>& exchange_strain = std::nullopt,
                                              NetForce net = NetForce::corrected);

}  // namespace wavegrid
