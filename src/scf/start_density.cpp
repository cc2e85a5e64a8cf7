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
  const double largest = kinetic.empty() ? 0.0 : *std::max_element(kinetic.begin(), kinetic.end());
  std::vector<std::complex<double>> density(kinetic.size());
  for (int species = 0; species < crystal.num_species(); ++species) {
    const PseudoAtom& atom = atoms[static_cast<std::size_t>(species)];
    const RadialTable form_factor(0, atom.spacing, atom.density, 1.001 * std::sqrt(2.0 * largest) + 1e-3);
    const auto structure = structure_factor(box, crystal, species, factors);
    for (std::size_t i = 0; i < density.size(); ++i)
      density[i] += form_factor(std::sqrt(2.0 * kinetic[i])) / crystal.lattice.volume() * structure[i];
  }
  return density;
}

}  // namespace wavegrid
