// Pseudopotentials with the orbitals of shells as further projectors, for DFT+U.
//
// The occupation matrix of a shell, n_mm' = sum_n f_n <psi_n|phi_m><phi_m'|psi_n>, is then a block of rho_ij
// (fields/density.hpp), and the derivative of the energy by it a block of the couplings D_ij. The channel has neither
// couplings nor overlaps of its own. V. I. Anisimov, J. Zaanen, O. K. Andersen, Phys. Rev. B 44, 943 (1991),
// 10.1103/PhysRevB.44.943.
#pragma once

#include <memory>
#include <vector>

#include <wavegrid/pseudo/hubbard_shell.hpp>
#include <wavegrid/pseudo/pseudopotentials.hpp>

namespace wavegrid {

/// The potential with those shells, in the order of its orbitals. Throws bad_input, with the shells that there are,
/// where it holds no such orbital or one is named twice.
[[nodiscard]] std::shared_ptr<const Pseudopotential> with_hubbard(std::shared_ptr<const Pseudopotential> potential,
                                                                  const std::vector<HubbardSetting>& settings,
                                                                  HubbardOrbitals orbitals);

/// Whether one of them has such a shell. Pure.
[[nodiscard]] bool has_hubbard(const Pseudopotentials& atoms);
/// Whether the functions of the shells are combinations of functions of several atoms: with overlaps, or
/// orthogonalised. Pure.
[[nodiscard]] bool has_combined_orbitals(const Pseudopotentials& atoms);

/// sqrt(<phi|S|phi>) of an orbital of norm 1, with the overlap q of its own atom: 1 for norm-conserving potentials.
/// Orbitals are divided by it, as in pw.x. Pure.
[[nodiscard]] double overlap_norm(const Pseudopotential& atom, int orbital);

}  // namespace wavegrid
