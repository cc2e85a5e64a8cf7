#include <numeric>
#include <utility>

#include <wavegrid/terms/onsite_sum.hpp>

namespace wavegrid {

OnsiteSum::OnsiteSum(const Comm& comm, const Crystal& crystal, const Pseudopotentials& atoms,
                     std::shared_ptr<const Xc> xc)
    : comm_(comm) {
  std::vector<std::shared_ptr<const OnsiteEnergy>> species;
  for (const auto& atom : atoms)
    species.push_back(atom->augmented() != nullptr && atom->augmented()->paw
                          ? std::make_shared<const OnsiteEnergy>(*atom->augmented(), xc)
                          : nullptr);
  for (const Atom& atom : crystal.atoms) of_atom_.push_back(species[static_cast<std::size_t>(atom.species)]);
}

template <class Action>
void OnsiteSum::for_my_atoms(const SpinMatrices& rho, Action action) const {
  int turn = 0;
  for (std::size_t a = 0; a < of_atom_.size(); ++a) {
    if (of_atom_[a] == nullptr || turn++ % comm_.size() != comm_.rank()) continue;
    ComponentMatrices mine;
    for (const AtomMatrices& component : rho) mine.push_back(component[a]);
    action(a, *of_atom_[a], mine);
  }
}

double OnsiteSum::total(std::vector<double> energies) const {
  comm_.merge(std::span<double>(energies));
  return std::accumulate(energies.begin(), energies.end(), 0.0);
}

double OnsiteSum::energy(const SpinMatrices& rho) const {
  std::vector<double> energies(of_atom_.size());
  for_my_atoms(rho, [&](std::size_t a, const OnsiteEnergy& onsite, const ComponentMatrices& mine) {
    energies[a] = onsite.energy(mine);
  });
  return total(std::move(energies));
}

double OnsiteSum::evaluate(const SpinMatrices& rho, SpinMatrices& derivatives) const {
  std::vector<double> energies(of_atom_.size());
  SpinMatrices found = zeros_like(rho);
  for_my_atoms(rho, [&](std::size_t a, const OnsiteEnergy& onsite, const ComponentMatrices& mine) {
    OnsiteResult result = onsite.evaluate(mine);
    energies[a] = result.energy;
    for (std::size_t s = 0; s < found.size(); ++s) found[s][a] = std::move(result.d[s]);
  });
  for (AtomMatrices& channel : found) {
    std::vector<double> numbers = numbers_of(channel);
    comm_.merge(std::span<double>(numbers));
    set_numbers(numbers, channel);
  }
  if (derivatives.empty())
    derivatives = std::move(found);
  else
    add(1.0, found, derivatives);
  return total(std::move(energies));
}

double OnsiteSum::interaction(const AtomMatrices& a, const AtomMatrices& b) const {
  double sum = 0;
  for (std::size_t atom = 0; atom < of_atom_.size(); ++atom)
    if (of_atom_[atom] != nullptr) sum += of_atom_[atom]->coulomb_product(a[atom], b[atom]);
  return sum;
}

}  // namespace wavegrid
