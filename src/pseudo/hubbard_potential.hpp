// Pseudopotentials with the orbital of a shell as one more projector, for DFT+U.
//
// The occupation matrix of a shell, n_mm' = sum_n f_n <psi_n|phi_m><phi_m'|psi_n>, is then a block of rho_ij
// (fields/density.hpp), and the derivative of the energy by it a block of the couplings D_ij. The channel has neither
// couplings nor overlaps of its own. V. I. Anisimov, J. Zaanen, O. K. Andersen, Phys. Rev. B 44, 943 (1991),
// 10.1103/PhysRevB.44.943.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <wavegrid/pseudo/pseudopotentials.hpp>

namespace wavegrid {

/// The functions that stand for a shell: the pseudo-orbitals of each atom, or all orbitals of the crystal made
/// orthonormal by O^(-1/2) (P.-O. Loewdin, J. Chem. Phys. 18, 365 (1950), 10.1063/1.1747632). With ultrasoft and PAW
/// datasets S acts on them.
enum class HubbardOrbitals { atomic, ortho_atomic };

/// What is wanted for an element.
struct HubbardSetting {
  std::string shell;          ///< such as "3d"
  double u = 0;               ///< Ha
  std::optional<double> j{};  ///< Ha; none: the form of Dudarev, in which U is U - J
  /// Occupations with which the loop begins, of the real harmonics m = -l ... l: of the spin along the atom's initial
  /// moment, and of the other; empty: Hund's rules.
  std::array<std::vector<double>, 2> initial{};
};

/// A shell of a pseudopotential with an energy of DFT+U.
struct HubbardShell {
  HubbardSetting setting;
  HubbardOrbitals orbitals = HubbardOrbitals::atomic;
  int orbital = 0;  ///< its number among those of the potential
  int l = 0;
  double electrons = 0;  ///< of the free atom
  int first = 0;         ///< its first row in the matrices of an atom

  [[nodiscard]] int size() const { return 2 * l + 1; }
};

/// The potential with that shell. Throws bad_input, with the shells that there are, where it holds no such orbital.
[[nodiscard]] std::shared_ptr<const Pseudopotential> with_hubbard(std::shared_ptr<const Pseudopotential> potential,
                                                                  const HubbardSetting& setting,
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
