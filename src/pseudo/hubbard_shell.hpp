// Shells with an energy of DFT+U.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

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

}  // namespace wavegrid
