#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <functional>
#include <vector>

#include <wavegrid/base/units.hpp>
#include <wavegrid/pseudo/augmented_dataset.hpp>
#include <wavegrid/pseudo/channel_couplings.hpp>
#include <wavegrid/pseudo/hubbard_potential.hpp>
#include <wavegrid/pseudo/pair_moments.hpp>
#include <wavegrid/terms/dataset_matrices.hpp>

namespace wavegrid {

namespace {

using Square = Matrix<std::complex<double>>;

/// A matrix over radial projectors, row by row, that couples those of the same l and m.
Square with_m(const AugmentedDataset& dataset, const std::vector<double>& radial, Index size) {
  Square matrix(size, size);
  Index row = 0;
  for (std::size_t i = 0; i < dataset.waves.size(); row += 2 * dataset.waves[i].l + 1, ++i) {
    Index column = 0;
    for (std::size_t j = 0; j < dataset.waves.size(); column += 2 * dataset.waves[j].l + 1, ++j)
      if (dataset.waves[i].l == dataset.waves[j].l)
        for (Index m = 0; m <= 2 * dataset.waves[i].l; ++m)
          matrix(row + m, column + m) = radial[i * dataset.waves.size() + j];
  }
  return matrix;
}

Square diagonal_of(const Pseudopotential& atom, Index size) {
  Square matrix(size, size);
  if (atom.has_spin_orbit()) return matrix;
  Index at = 0;
  for (int channel = 0; channel < atom.num_channels(); ++channel)
    for (const double strength : diagonal_couplings(atom, channel).strengths)
      for (int m = 0; m <= 2 * atom.channel_l(channel); ++m, ++at) matrix(at, at) = strength;
  return matrix;
}

/// The matrix of each species, for each atom.
AtomMatrices of_atoms(const Crystal& crystal, const Pseudopotentials& atoms,
                      const std::function<Square(const Pseudopotential&, Index size)>& matrix) {
  std::vector<Square> species;
  for (const auto& atom : atoms) species.push_back(matrix(*atom, num_projectors_per_atom(*atom)));
  AtomMatrices all;
  for (const Atom& atom : crystal.atoms) all.push_back(species[static_cast<std::size_t>(atom.species)]);
  return all;
}

}  // namespace

bool has_augmentation(const Pseudopotentials& atoms) {
  return std::any_of(atoms.begin(), atoms.end(), [](const auto& atom) { return atom->augmented() != nullptr; });
}

bool has_charge_outside_xc(const Pseudopotential& atom) {
  return atom.augmented() != nullptr && atom.augmented()->compensation_in_xc == CompensationInXc::excluded;
}

bool has_paw(const Pseudopotentials& atoms) {
  return std::any_of(atoms.begin(), atoms.end(),
                     [](const auto& atom) { return atom->augmented() != nullptr && atom->augmented()->paw; });
}

bool has_matrices(const Pseudopotentials& atoms) { return has_augmentation(atoms) || has_hubbard(atoms); }

AtomMatrices bare_couplings(const Crystal& crystal, const Pseudopotentials& atoms) {
  return of_atoms(crystal, atoms, [](const Pseudopotential& atom, Index size) {
    return atom.augmented() ? with_m(*atom.augmented(), atom.augmented()->d0, size) : diagonal_of(atom, size);
  });
}

AtomMatrices augmentation_dipoles(const Crystal& crystal, const Pseudopotentials& atoms, std::size_t axis) {
  constexpr std::array<int, 3> place{2, 0, 1};  // of x, y, z among the harmonics of l = 1
  const double factor = std::sqrt(4 * units::pi / 3);
  return of_atoms(crystal, atoms, [&](const Pseudopotential& atom, Index size) {
    Square d(size, size);
    const AugmentedDataset* const dataset = atom.augmented();
    if (dataset == nullptr) return d;
    const std::vector<RadialPair> pairs = radial_pairs(*dataset);
    const PairMoments moments(*dataset, pairs);
    std::vector<double> slopes(moments.size(), 0.0);
    for (const AugmentationFunction& function : dataset->augmentation) {
      if (function.l != 1) continue;
      for (std::size_t p = 0; p < pairs.size(); ++p)
        if (pairs[p].i == function.i && pairs[p].j == function.j && pairs[p].l == 1)
          slopes[moments.first(p) + static_cast<std::size_t>(place[axis])] = factor * function.moment;
    }
    moments.add_matrix(slopes, d);
    return d;
  });
}

AtomMatrices augmentation_charges(const Crystal& crystal, const Pseudopotentials& atoms) {
  return of_atoms(crystal, atoms, [](const Pseudopotential& atom, Index size) {
    return atom.augmented() ? with_m(*atom.augmented(), atom.augmented()->q, size) : Square(size, size);
  });
}

}  // namespace wavegrid
