#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <wavegrid/problem/distinguished_atoms.hpp>

namespace wavegrid {

Crystal distinguished_atoms(const Problem& problem) {
  Crystal crystal = problem.crystal;
  if (!problem.hubbard_perturbation) return crystal;
  const std::vector<double>& shifts = problem.hubbard_perturbation->shifts;
  std::map<std::pair<int, std::vector<double>>, int> species;  // that are added, of species and shifts
  std::size_t shell = 0;
  for (Atom& atom : crystal.atoms) {
    std::vector<double> of_atom;  // their number is checked later
    for (std::size_t n = 0; n < problem.pseudopotentials[static_cast<std::size_t>(atom.species)]->hubbard().size(); ++n)
      of_atom.push_back(shell < shifts.size() ? shifts[shell++] : 0);
    if (std::ranges::all_of(of_atom, [](double shift) { return shift == 0; })) continue;
    const auto [found, is_new] = species.try_emplace({atom.species, of_atom}, crystal.num_species());
    if (is_new)
      crystal.species.push_back(crystal.species[static_cast<std::size_t>(atom.species)] + " shifted (" +
                                std::to_string(species.size()) + ")");
    atom.species = found->second;
  }
  return crystal;
}

}  // namespace wavegrid
