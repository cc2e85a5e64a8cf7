// The pseudopotentials of a crystal.
#pragma once

#include <memory>
#include <numeric>
#include <vector>

#include <wavegrid/crystal/crystal.hpp>
#include <wavegrid/pseudo/pseudopotential.hpp>

namespace wavegrid {

/// One pseudopotential per species of a crystal.
using Pseudopotentials = std::vector<std::shared_ptr<const Pseudopotential>>;

/// The ions of a crystal as point charges.
struct PointCharges {
  std::vector<Vec3> positions;  ///< fractional
  std::vector<double> charges;  ///< elementary charges
};
[[nodiscard]] inline PointCharges ion_charges(const Crystal& crystal, const Pseudopotentials& atoms) {
  PointCharges ions;
  for (const Atom& atom : crystal.atoms) {
    ions.positions.push_back(atom.position);
    ions.charges.push_back(atoms[static_cast<std::size_t>(atom.species)]->valence_charge());
  }
  return ions;
}

/// Valence electrons of the neutral crystal.
[[nodiscard]] inline double count_electrons(const Crystal& crystal, const Pseudopotentials& atoms) {
  const PointCharges ions = ion_charges(crystal, atoms);
  return std::accumulate(ions.charges.begin(), ions.charges.end(), 0.0);
}

}  // namespace wavegrid
