// A perturbation of the shells of DFT+U, for U by linear response.
#pragma once

#include <vector>

namespace wavegrid {

/// The energy of DFT+U is replaced by what is linear in the occupation matrices,
///
///   E[n0] + sum_a Tr(dE/dn(n0_a) (n_a - n0_a)) + sum_a alpha_a Tr n_a
///
/// so that its potential is that of the matrices n0, which stay, and a shift of each shell. M. Cococcioni and
/// S. de Gironcoli, Phys. Rev. B 71, 035105 (2005), 10.1103/PhysRevB.71.035105; the potential of U does not respond, as
/// U is the curvature of the energy without it.
struct HubbardPerturbation {
  /// n0 of a shell, for each spin, or of one of two equal spins, by rows: as in ShellOccupations.
  using Matrices = std::vector<std::vector<std::vector<double>>>;

  std::vector<double> shifts;         ///< alpha of each shell, Ha, in the order of the atoms that have one
  std::vector<Matrices> occupations;  ///< of each shell
};

}  // namespace wavegrid
