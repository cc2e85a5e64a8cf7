#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include <wavegrid/atom/shells.hpp>
#include <wavegrid/base/error.hpp>
#include <wavegrid/base/printable.hpp>

namespace wavegrid {
namespace {

double capacity(int l) { return 2.0 * (2 * l + 1); }

void require_whole_charge(const Pseudopotential& pseudopotential) {
  const auto& electrons = pseudopotential.valence_occupation();
  const double sum = std::accumulate(electrons.begin(), electrons.end(), 0.0);
  if (std::abs(sum - pseudopotential.valence_charge()) > 1e-6)
    throw bad_input("pseudopotential of " + pseudopotential.element() + ": the valence occupations add up to " +
                    to_text(sum) + " electrons, the valence charge is " +
                    std::to_string(pseudopotential.valence_charge()) + "; they must agree");
}

}  // namespace

double Shell::occupation(int level) const { return std::clamp(electrons - level * capacity(l), 0.0, capacity(l)); }

std::vector<Shell> atomic_shells(const Pseudopotential& pseudopotential) {
  require_whole_charge(pseudopotential);
  const auto& electrons = pseudopotential.valence_occupation();
  std::vector<Shell> shells(std::max<std::size_t>(electrons.size(), 2));
  for (std::size_t i = 0; i < shells.size(); ++i) {
    const int l = static_cast<int>(i);
    shells[i] = {l, i < electrons.size() ? electrons[i] : 0.0, 0};
    shells[i].num_levels = static_cast<int>(std::ceil(shells[i].electrons / capacity(l) - 1e-9));
  }
  shells[0].num_levels = std::max(shells[0].num_levels, 1);
  shells[1].num_levels = std::max(shells[1].num_levels, shells[0].num_levels);
  std::erase_if(shells, [](const Shell& shell) { return shell.num_levels == 0; });
  return shells;
}

Index count_orbitals(const Pseudopotential& pseudopotential) {
  Index count = 0;
  for (const Shell& shell : atomic_shells(pseudopotential)) count += shell.num_levels * (2 * shell.l + 1);
  return count;
}

Index count_orbitals(const Crystal& crystal, const Pseudopotentials& pseudopotentials) {
  std::vector<Index> orbital_counts;
  for (const auto& potential : pseudopotentials) orbital_counts.push_back(count_orbitals(*potential));
  Index count = 0;
  for (const Atom& atom : crystal.atoms) count += orbital_counts[static_cast<std::size_t>(atom.species)];
  return count;
}

}  // namespace wavegrid
