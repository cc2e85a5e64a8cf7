#include <map>
#include <utility>

#include <wavegrid/problem/distinguished_atoms.hpp>

namespace wavegrid {

Crystal distinguished_atoms(const Problem& problem) {
  Crystal crystal = problem.crystal;
  if (!problem.hubbard_perturbation) return crystal;
  const std::vector<double>& shifts = problem.hubbard_perturbation->shifts;
  std::map<std::pair<int, double>, int> species;  // that are added, of species and shift
  std::size_t shell = 0;
  for (Atom& atom : crystal.atoms) {
    if (problem.pseudopotentials[static_cast<std::size_t>(atom.species)]->hubbard() == nullptr) continue;
    const double shift = shell < shifts.size() ? shifts[shell] : 0;  // their number is checked later
    ++shell;
    if (shift == 0) continue;
    const auto [found, is_new] = species.try_emplace({atom.species, shift}, crystal.num_species());
    if (is_new)
      crystal.species.push_back(crystal.species[static_cast<std::size_t>(atom.species)] + " shifted by " +
                                std::to_string(shift));
    atom.species = found->second;
  }
  return crystal;
}

}  // namespace wavegrid
