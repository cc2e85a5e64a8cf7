// The pseudopotentials of a crystal.
#pragma once

#include <memory>
#include <vector>

#include "atoms/crystal.hpp"
#include "atoms/pseudopotential.hpp"

namespace wavegrid {

/// One pseudopotential per species of a crystal.
using Pseudopotentials = std::vector<std::shared_ptr<const Pseudopotential>>;

/// Valence electrons of the neutral crystal.
[[nodiscard]] inline double count_electrons(const Crystal& crystal, const Pseudopotentials& atoms) {
  double sum = 0;
  for (const Atom& atom : crystal.atoms) sum += atoms[static_cast<std::size_t>(atom.species)]->valence_charge();
  return sum;
}

}  // namespace wavegrid
