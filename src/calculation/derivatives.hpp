// Forces on the atoms and stress of the cell at the end of a self-consistent calculation.
//
// The free energy is stationary with respect to bands and occupations, so that only what depends on positions and cell
// by itself counts (H. Hellmann, 1937; R. P. Feynman, Phys. Rev. 56, 340 (1939), 10.1103/PhysRev.56.340; with smearing
// M. Weinert, J. W. Davenport, Phys. Rev. B 45, 13709 (1992), 10.1103/PhysRevB.45.13709; the stress O. H. Nielsen,
// R. M. Martin, Phys. Rev. B 32, 3780 (1985), 10.1103/PhysRevB.32.3780). The stress is that of a fixed set of plane
// waves.
//
// Where the density is not quite self-consistent its error counts in first order; most of it goes where the atoms' own
// densities are taken along with them:
//
//   F_correction = -int (V_out - V_in) d n_atom / d tau,   V_in that of the input density, V_out that of the output
//
// C. T. Chan, K. P. Bohnen, K. M. Ho, Phys. Rev. B 47, 4771 (1993), 10.1103/PhysRevB.47.4771; the stress alike.
#pragma once

#include <optional>
#include <vector>

#include "atoms/solver/pseudo_atom.hpp"
#include "atoms/space_group.hpp"
#include "calculation/plane_wave_scf.hpp"
#include "calculation/problem.hpp"

namespace wavegrid {

/// Forces, Ha/bohr, Cartesian, one per atom in the crystal's order; symmetrised. They are those of the free energy.
struct Forces {
  std::vector<Vec3> total;  ///< of all terms, without net force
  std::vector<Vec3> ewald, local, nonlocal;
  std::vector<Vec3> nlcc;            ///< of the nonlinear core correction
  std::vector<Vec3> scf_correction;  ///< for the density that is not quite self-consistent
  Vec3 net{0, 0, 0};                 ///< on the cell, taken off in equal parts: what the grid and the tolerance leave
};

/// 1/Omega dF/d eps_ab, Ha/bohr^3, Cartesian, symmetric and symmetrised: positive where the cell wants to shrink.
struct Stress {
  Mat3 total{};  ///< of all terms
  Mat3 kinetic{}, hartree{}, xc{}, ewald{}, local{}, nonlocal{};
  Mat3 local_g0{};        ///< of the G = 0 part of the local potential
  Mat3 nlcc{};            ///< of the shape of core densities
  Mat3 scf_correction{};  ///< for the density that is not quite self-consistent

  /// -1/3 of its trace, Ha/bohr^3: positive where the cell wants to grow.
  [[nodiscard]] double pressure() const { return -(total[0][0] + total[1][1] + total[2][2]) / 3.0; }
};

/// Those that were asked for.
struct Derivatives {
  std::optional<Forces> forces;
  std::optional<Stress> stress;
};

/// The atoms of a calculation, and how sums over ranks go.
struct DerivativeAtoms {
  const Crystal& crystal;
  const Pseudopotentials& pseudopotentials;
  const std::vector<PseudoAtom>& pseudo_atoms;
  const SpaceGroup& symmetry;
  bool deterministic = false;
};

/// Derivatives of the free energy of bands at the end of a loop. Collective over all ranks, which get the same.
template <class S>
[[nodiscard]] Derivatives compute_derivatives(const PlaneWaveSystem<S>& system, const DerivativeAtoms& atoms,
                                              const ScfEnd<GridFields>& end, DerivativeOptions wanted);

}  // namespace wavegrid
