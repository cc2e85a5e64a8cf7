#include <algorithm>
#include <cmath>
#include <complex>

#include <wavegrid/terms/augmentation.hpp>
#include <wavegrid/terms/augmentation_waves.hpp>
#include <wavegrid/terms/dataset_matrices.hpp>
#include <wavegrid/terms/symmetric_sums.hpp>

namespace wavegrid {

namespace {

using Parts = AugmentationWaves::Parts;

/// Calls action(waves) for `elements`, some at a time. Where sums are ordered these are lines, so that the bits of a
/// product do not depend on what else a rank has.
template <class Action>
void for_waves(const FourierBox& box, const AugmentationTable& table, Range elements, bool with_slopes, Action action) {
  const LineSum& sums = box.fft.over_waves();
  const Index at_once = sums.is_ordered() ? sums.length() : 512;
  AugmentationWaves waves(table, box);
  for (Index first = elements.begin; first < elements.end; first += at_once) {
    waves.set({first, std::min(first + at_once, elements.end)}, with_slopes);
    if (waves.size() > 0) action(std::as_const(waves));
  }
}

/// Calls action(table, atoms) for groups of atoms of a species, as many as have `numbers_each` sums in one reduction.
template <class Numbers, class Action>
void for_groups(const FourierBox& box, const Crystal& crystal,
                const std::vector<std::unique_ptr<AugmentationTable>>& tables, Numbers numbers_each, Action action) {
  for (int species = 0; species < crystal.num_species(); ++species) {
    const AugmentationTable* const table = tables[static_cast<std::size_t>(species)].get();
    if (table == nullptr) continue;
    const std::vector<int> atoms = crystal.species_atoms(species);
    const Index limit = box.fft.over_waves().at_once() / static_cast<Index>(numbers_each(*table));
    const std::size_t most = static_cast<std::size_t>(std::clamp<Index>(limit, 1, 64));
    for (std::size_t first = 0; first < atoms.size(); first += most)
      action(*table, AtomGroup(box, crystal, std::span(atoms).subspan(first, std::min(most, atoms.size() - first))));
  }
}

/// (moments, atoms)
std::vector<double> moments_of(const AugmentationTable& table, const AtomGroup& atoms, const AtomMatrices& rho) {
  std::vector<double> all;
  for (const std::size_t atom : atoms.numbers) {
    const std::vector<double> moments = table.moments(rho[atom]);
    all.insert(all.end(), moments.begin(), moments.end());
  }
  return all;
}

}  // namespace

Augmentation::Augmentation(const FourierBox& box, const Crystal& crystal, const Pseudopotentials& atoms, Datasets which)
    : box_(box), crystal_(crystal) {
  for (const Atom& atom : crystal.atoms)
    num_projectors_.push_back(num_projectors_per_atom(*atoms[static_cast<std::size_t>(atom.species)]));
  const double largest_q = std::sqrt(2.0 * box.waves().kinetic_bound());
  for (const auto& atom : atoms) {
    const AugmentedDataset* dataset = atom->augmented();
    if (which == Datasets::outside_xc && !has_charge_outside_xc(*atom)) dataset = nullptr;
    tables_.push_back(dataset ? std::make_unique<AugmentationTable>(*dataset, largest_q) : nullptr);
  }
}

GridFft::Coefficients Augmentation::density(const AtomMatrices& rho) const {
  const PlaneWaves& box = box_.waves();
  GridFft::Coefficients density(static_cast<std::size_t>(box.size()));
  const double factor = 1.0 / box.lattice().volume();
  const auto one = [](const auto&) { return 1; };
  for_groups(box_, crystal_, tables_, one, [&](const AugmentationTable& table, const AtomGroup& atoms) {
    const std::vector<double> moments = moments_of(table, atoms, rho);
    Parts charge;
    for_waves(box_, table, {0, box.size()}, false, [&](const AugmentationWaves& waves) {
      waves.sum_moments(moments, atoms.size(), charge);
#pragma omp parallel for schedule(static)
      for (Index n = 0; n < waves.size(); ++n) {
        const Int3& g = box.g()[waves.element(n)];
        std::complex<double> sum = 0;
        for (Index a = 0; a < atoms.size(); ++a) {
          const auto at = static_cast<std::size_t>(a * waves.size() + n);
          sum += atoms.phases[static_cast<std::size_t>(a)](g) *
                 std::complex<double>(charge.real[at], charge.imaginary[at]);
        }
        density[waves.element(n)] += factor * waves.weight(n) * sum;
      }
    });
  });
  return density;
}

AtomMatrices Augmentation::integrals(const GridFft::Coefficients& potential) const {
  AtomMatrices all;
  for (const Index size : num_projectors_) all.emplace_back(size, size);
  const auto numbers = [](const AugmentationTable& table) { return table.num_moments(); };
  for_groups(box_, crystal_, tables_, numbers, [&](const AugmentationTable& table, const AtomGroup& atoms) {
    const std::size_t each = table.num_moments();
    std::vector<double> sums(each * atoms.numbers.size());
    Parts z;
    box_.fft.over_waves().arrays(sums, [&](Range elements, std::span<double> out) {
      for_waves(box_, table, elements, false, [&](const AugmentationWaves& waves) {
        waves.turned(potential, atoms, z);
        waves.add_products(z, atoms.size(), out);
      });
    });
    for (std::size_t a = 0; a < atoms.numbers.size(); ++a)
      table.add_matrix(std::span(sums).subspan(a * each, each), all[atoms.numbers[a]]);
  });
  return all;
}

std::vector<Vec3> Augmentation::forces(const AtomMatrices& rho, const GridFft::Coefficients& potential) const {
  const PlaneWaves& box = box_.waves();
  std::vector<Vec3> forces(crystal_.atoms.size(), Vec3{0, 0, 0});
  const auto three = [](const auto&) { return 3; };
  for_groups(box_, crystal_, tables_, three, [&](const AugmentationTable& table, const AtomGroup& atoms) {
    const std::vector<double> moments = moments_of(table, atoms, rho);
    std::vector<double> sums(3 * atoms.numbers.size());
    Parts z, charge;
    box_.fft.over_waves().arrays(sums, [&](Range elements, std::span<double> out) {
      for_waves(box_, table, elements, false, [&](const AugmentationWaves& waves) {
        waves.turned(potential, atoms, z);
        waves.sum_moments(moments, atoms.size(), charge);
#pragma omp parallel for schedule(static)
        for (Index a = 0; a < atoms.size(); ++a)
          for (Index n = 0; n < waves.size(); ++n) {
            const auto at = static_cast<std::size_t>(a * waves.size() + n);
            const double slope = z.real[at] * charge.imaginary[at] - z.imaginary[at] * charge.real[at];
            const Int3& g = box.g()[waves.element(n)];
            for (std::size_t axis = 0; axis < 3; ++axis) out[3 * static_cast<std::size_t>(a) + axis] -= slope * g[axis];
          }
      });
    });
    for (std::size_t a = 0; a < atoms.numbers.size(); ++a)
      forces[atoms.numbers[a]] = box.lattice().g_vector({sums[3 * a], sums[3 * a + 1], sums[3 * a + 2]});
  });
  return forces;
}

Mat3 Augmentation::strain(const AtomMatrices& rho, const GridFft::Coefficients& potential) const {
  Mat3 strain{};
  const auto one = [](const auto&) { return 1; };
  for_groups(box_, crystal_, tables_, one, [&](const AugmentationTable& table, const AtomGroup& atoms) {
    const std::vector<double> moments = moments_of(table, atoms, rho);
    Parts z;
    double sums[6];
    box_.fft.over_waves().arrays(sums, [&](Range elements, std::span<double> out) {
      for_waves(box_, table, elements, true, [&](const AugmentationWaves& waves) {
        waves.turned(potential, atoms, z);
        waves.add_strain(z, moments, atoms.size(), out);
      });
    });
    strain = strain + symmetric(sums);
  });
  return strain;
}

}  // namespace wavegrid
