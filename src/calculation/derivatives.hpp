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

#include "atoms/solver/pseudo_atom.hpp"
#include "atoms/space_group.hpp"
#include "planewaves/plane_wave_bands.hpp"
#include "problem/problem.hpp"
#include "scf/scf_system.hpp"
#include "terms/grid_fields.hpp"

namespace wavegrid {

/// Forces, Ha/bohr, Cartesian, one per atom in the crystal's order; symmetrised. They are those of the free energy.
struct Forces {
  std::vector<Vec3> total;  ///< of all terms, without net force
  std::vector<Vec3> ewald, local, nonlocal;
  std::vector<Vec3> nlcc;            ///< of the nonlinear core correction
  std::vector<Vec3> scf_correction;  ///< for a density that is not fully self-consistent
  Vec3 net{0, 0, 0};                 ///< on the cell, subtracted in equal parts: the error of grid and tolerance
};

/// 1/Omega dF/d eps_ab, Ha/bohr^3, Cartesian, symmetric and symmetrised: positive if shrinking the cell lowers the
/// energy.
struct Stress {
  Mat3 total{};  ///< of all terms
  Mat3 kinetic{}, hartree{}, xc{}, ewald{}, local{}, nonlocal{};
  Mat3 local_g0{};        ///< of the G = 0 part of the local potential
  Mat3 nlcc{};            ///< of the nonlinear core correction: strain of the core densities
  Mat3 scf_correction{};  ///< for a density that is not fully self-consistent

  /// -1/3 of the trace, Ha/bohr^3: positive if expanding the cell lowers the energy.
  [[nodiscard]] double pressure() const { return -(total[0][0] + total[1][1] + total[2][2]) / 3.0; }
};

/// sum_s n_s / n V_s of the spins' fields V_s on the points of this rank: what acts on a density that changes without
/// its polarisation. `density`: n, and n_up - n_down with two spins. Pure.
[[nodiscard]] std::vector<double> weighted_by_spin(const SpinFields& fields, const SpinFields& density);

/// Sums each of the vectors over all ranks, by one reduction. Collective.
void sum_over_ranks(const Comm& comm, const std::vector<Vec3*>& vectors);

/// The sum of the terms, each symmetrised (an empty one is zero), with the net force taken off. Pure.
[[nodiscard]] Forces summed(Forces terms, const Crystal& crystal, const SpaceGroup& symmetry);
/// The same for the stress; the terms are given as dF/d eps_ab in Ha. Pure.
[[nodiscard]] Stress summed(Stress strains, const Lattice& lattice, const SpaceGroup& symmetry);

/// The derivatives that were requested.
struct Derivatives {
  std::optional<Forces> forces;
  std::optional<Stress> stress;
};

/// The atoms of a calculation, and whether sums over ranks are deterministic.
struct DerivativeAtoms {
  const Crystal& crystal;
  const Pseudopotentials& pseudopotentials;
  const std::vector<PseudoAtom>& pseudo_atoms;
  const SpaceGroup& symmetry;
  bool deterministic = false;
};

/// The objects of a loop on plane waves, and its bands.
template <class S>
struct PlaneWaveSystem {
  const ScfSystem<S, GridFields>& scf;
  const MyBands<S>& bands;
};

/// Derivatives of the free energy at the end of a loop. Collective over all ranks, with the same result on all.
template <class S>
[[nodiscard]] Derivatives compute_derivatives(const PlaneWaveSystem<S>& system, const DerivativeAtoms& atoms,
                                              const ScfEnd<GridFields>& end, DerivativeOptions wanted);

}  // namespace wavegrid
