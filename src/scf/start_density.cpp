#include "scf/start_density.hpp"

#include <algorithm>
#include <cmath>

#include "atoms/structure_factor.hpp"
#include "basis/radial_table.hpp"

namespace wavegrid {

std::vector<PseudoAtom> solve_pseudo_atoms(const Pseudopotentials& potentials) {
  std::vector<PseudoAtom> atoms;
  for (const auto& potential : potentials) atoms.push_back(solve_pseudo_atom(*potential));
  return atoms;
}

std::vector<std::complex<double>> superposed_density(const PlaneWaves& box, const Crystal& crystal,
                                                     const std::vector<PseudoAtom>& atoms,
                                                     std::span<const double> factors) {
  const auto& kinetic = box.kinetic();
  const double largest = box.kinetic_bound();
  std::vector<std::complex<double>> density(kinetic.size());
  for (int species = 0; species < crystal.num_species(); ++species) {
    const PseudoAtom& atom = atoms[static_cast<std::size_t>(species)];
    const double g_max = std::min(1.001 * std::sqrt(2.0 * largest) + 1e-3, atom.largest_g());
    const RadialTable form_factor(0, atom.spacing, atom.density, g_max);
    const auto structure = structure_factor(box, crystal, species, factors);
    for (std::size_t i = 0; i < density.size(); ++i) {
      const double g = std::sqrt(2.0 * kinetic[i]);
      if (g <= g_max) density[i] += form_factor(g) / crystal.lattice.volume() * structure[i];
    }
  }
  return density;
}

}  // namespace wavegrid
