#include <numeric>
#include <utility>

#include <wavegrid/terms/onsite_sum.hpp>

namespace wavegrid {

namespace {

using Square = Matrix<std::complex<double>>;

/// The first rows and columns: those of the dataset's projectors.
Square leading_block(const Square& matrix, Index size) {
  if (matrix.rows() == size) return matrix;
  Square block(size, size);
  for (Index j = 0; j < size; ++j)
    for (Index i = 0; i < size; ++i) block(i, j) = matrix(i, j);
  return block;
}
void set_leading_block(const Square& block, Square& matrix) {
  for (Index j = 0; j < block.columns(); ++j)
    for (Index i = 0; i < block.rows(); ++i) matrix(i, j) = block(i, j);
}

}  // namespace

OnsiteSum::OnsiteSum(const Comm& comm, const Crystal& crystal, const Pseudopotentials& atoms,
                     std::shared_ptr<const Xc> xc, const Vec3& spin_axis)
    : comm_(comm) {
  std::vector<std::shared_ptr<const OnsiteEnergy>> species;
  for (const auto& atom : atoms)
    species.push_back(atom->augmented() != nullptr && atom->augmented()->paw
                          ? std::make_shared<const OnsiteEnergy>(*atom->augmented(), xc, OnsiteAccuracy{}, spin_axis)
                          : nullptr);
  for (const Atom& atom : crystal.atoms) {
    const auto kind = static_cast<std::size_t>(atom.species);
    of_atom_.push_back(species[kind]);
    num_projectors_.push_back(num_projectors_per_atom(atoms[kind]->without_hubbard()));
  }
}

template <class Action>
void OnsiteSum::for_my_atoms(const SpinMatrices& rho, Action action) const {
  int turn = 0;
  for (std::size_t a = 0; a < of_atom_.size(); ++a) {
    if (of_atom_[a] == nullptr || turn++ % comm_.size() != comm_.rank()) continue;
    ComponentMatrices mine;
    for (const AtomMatrices& component : rho) mine.push_back(leading_block(component[a], num_projectors_[a]));
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
    for (std::size_t s = 0; s < found.size(); ++s) set_leading_block(result.d[s], found[s][a]);
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
    if (of_atom_[atom] != nullptr)
      sum += of_atom_[atom]->coulomb_product(leading_block(a[atom], num_projectors_[atom]),
                                             leading_block(b[atom], num_projectors_[atom]));
  return sum;
}

}  // namespace wavegrid
