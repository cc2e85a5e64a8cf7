// The levels of an atom: occupied ones, and those needed in addition for initial wave functions.
#pragma once

#include <vector>

#include <wavegrid/base/index.hpp>
#include <wavegrid/crystal/crystal.hpp>
#include <wavegrid/pseudo/pseudopotentials.hpp>

namespace wavegrid {

/// The levels of one angular momentum, the lowest first.
struct Shell {
  int l = 0;
  double electrons = 0.0;  ///< in all levels together
  int num_levels = 0;

  /// Electrons in a level (0, 1, ...): the lowest are filled first.
  [[nodiscard]] double occupation(int level) const;
};

/// The shells that have levels, by ascending l: all occupied levels by pseudopotential.valence_occupation(); always at
/// least one s and one p level, and as many p as s levels (Al: s p; Ti of 4 electrons: s p d; Na of 9 electrons: s s p
/// p). Pure. Throws bad_input if the occupations do not add up to the valence charge.
[[nodiscard]] std::vector<Shell> atomic_shells(const Pseudopotential& pseudopotential);

/// Atomic orbitals of an atom, 2l+1 for each level. Pure; the atom is not solved for this.
[[nodiscard]] Index count_orbitals(const Pseudopotential& pseudopotential);
/// Atomic orbitals of all atoms of a crystal; one pseudopotential per species.
[[nodiscard]] Index count_orbitals(const Crystal& crystal, const Pseudopotentials& pseudopotentials);

}  // namespace wavegrid
