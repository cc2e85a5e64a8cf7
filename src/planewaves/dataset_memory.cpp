#include <algorithm>
#include <cmath>

#include <wavegrid/hamiltonian/combined_orbitals.hpp>
#include <wavegrid/hamiltonian/nonlocal_potential.hpp>
#include <wavegrid/planewaves/dataset_memory.hpp>
#include <wavegrid/pseudo/augmented_dataset.hpp>
#include <wavegrid/pseudo/hubbard_potential.hpp>
#include <wavegrid/terms/augmentation_table.hpp>
#include <wavegrid/terms/dataset_matrices.hpp>

namespace wavegrid {

namespace {

/// The radius at which the last augmentation function ends, bohr.
double end_of_augmentation(const AugmentedDataset& dataset) {
  std::size_t end = 1;
  for (const AugmentationFunction& function : dataset.augmentation) end = std::max(end, function.r2_q.size());
  return dataset.r[std::min(end, dataset.r.size()) - 1];
}

/// Those of all pairs in reciprocal space, as in AugmentationTable.
double augmentation_bytes(const AugmentedDataset& dataset, double largest_g) {
  const RadialNodes nodes = RadialNodes::up_to(largest_g, 0.2 / std::max(end_of_augmentation(dataset), 1.0));
  return sizeof(double) * static_cast<double>(dataset.augmentation.size() * nodes.count);
}

/// Values and slopes of products of all-electron and of pseudo-waves, and their interactions, as in OnsiteEnergy.
double onsite_bytes(const AugmentedDataset& dataset) {
  constexpr double radii = 150;
  const auto pairs = static_cast<double>(dataset.augmentation.size());
  return sizeof(double) * (4 * radii * pairs + 2 * pairs * pairs / (2.0 * dataset.largest_l() + 1.0));
}

}  // namespace

double dataset_bytes(const Problem& problem) {
  const double largest_g = std::sqrt(2.0 * (problem.density_grid ? problem.density_grid->ecut : 4.0 * problem.ecut));
  double bytes = 0;
  for (const auto& potential : problem.pseudopotentials)
    if (const AugmentedDataset* const dataset = potential->augmented())
      bytes += augmentation_bytes(*dataset, largest_g) + (dataset->paw ? onsite_bytes(*dataset) : 0.0);
  return bytes;
}

double density_matrix_bytes(const Problem& problem) {
  if (!has_paw(problem.pseudopotentials) && !has_hubbard(problem.pseudopotentials)) return 0;
  double bytes = 0;
  for (const Atom& atom : problem.crystal.atoms) {
    const double size = num_projectors_per_atom(*problem.pseudopotentials[static_cast<std::size_t>(atom.species)]);
    bytes += sizeof(std::complex<double>) * size * size;
  }
  return bytes;
}

CombinedBytes combined_bytes(const Problem& problem, Index rows, std::size_t scalar) {
  if (!has_combined_orbitals(problem.pseudopotentials)) return {};
  const auto orbitals = combined_orbitals(problem.pseudopotentials);
  double all = 0, shells = 0;
  for (const Atom& atom : problem.crystal.atoms)
    for (const SpeciesOrbital& orbital : orbitals[static_cast<std::size_t>(atom.species)]) {
      all += 2 * orbital.l + 1;
      if (orbital.is_shell) shells += 2 * orbital.l + 1;
    }
  const double projectors = has_augmentation(problem.pseudopotentials)
                                ? static_cast<double>(count_projectors(problem.crystal, problem.pseudopotentials))
                                : 0.0;
  const double column = static_cast<double>(rows) * static_cast<double>(scalar);
  // phi and h; phi, X_h, and the X of phi and of the projectors of S.
  return {(all + shells) * column, (2 * all + shells + projectors) * column};
}

}  // namespace wavegrid
