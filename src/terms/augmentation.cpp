#include <algorithm>
#include <cmath>
#include <complex>

#include <wavegrid/basis/real_harmonics.hpp>
#include <wavegrid/crystal/structure_factor.hpp>
#include <wavegrid/terms/augmentation.hpp>
#include <wavegrid/terms/dataset_matrices.hpp>
#include <wavegrid/terms/symmetric_sums.hpp>

namespace wavegrid {

namespace {

using Complex = std::complex<double>;

/// Whether (-i)^L is real, and its sign or that of its imaginary part.
constexpr bool is_even(int l) { return l % 2 == 0; }
constexpr double sign_of(int l) { return l % 4 == 0 || l % 4 == 3 ? 1.0 : -1.0; }

/// What all atoms of a species share at some G: places in the table, and Y_LM with the sign of (-i)^L.
struct Waves {
  explicit Waves(const AugmentationTable& of) : table(of), harmonics(of.largest_l()) {}

  /// Those of `elements` that electrostatic potentials have.
  void set(const FourierBox& box, Range elements, bool with_gradients) {
    at.clear();
    for (Index i = elements.begin; i < elements.end; ++i)
      if (box.inside[static_cast<std::size_t>(i)]) at.push_back(static_cast<std::size_t>(i));
    const std::size_t size = harmonics.size();
    nodes.resize(at.size());
    y.resize(at.size() * size);
    if (with_gradients) gradient.resize(at.size() * size);
#pragma omp parallel for schedule(static)
    for (std::size_t n = 0; n < at.size(); ++n) {
      const Vec3 g = box.waves().k_plus_g(static_cast<Index>(at[n]));
      const double length = norm(g);
      nodes[n] = table.nodes().at(length);
      const std::span<double> values(y.data() + n * size, size);
      if (with_gradients && length > 0)
        harmonics.gradients((1.0 / length) * g, values, {gradient.data() + n * size, size});
      else
        harmonics.values(g, values);
      for (int l = 0; l <= harmonics.l_max(); ++l)
        for (int lm = l * l; lm < (l + 1) * (l + 1); ++lm) values[static_cast<std::size_t>(lm)] *= sign_of(l);
    }
  }
  [[nodiscard]] const double* harmonics_of(std::size_t n) const { return y.data() + n * harmonics.size(); }

  const AugmentationTable& table;
  RealHarmonics harmonics;
  std::vector<std::size_t> at;  ///< local numbers of G
  std::vector<RadialNodes::At> nodes;
  std::vector<double> y;
  std::vector<Vec3> gradient;  ///< of Y_LM, without the sign
};

/// Calls action(waves) for `elements`, some at a time.
template <class Action>
void for_waves(const FourierBox& box, const AugmentationTable& table, Range elements, bool with_gradients,
               Action action) {
  constexpr Index at_once = 1024;
  Waves waves(table);
  for (Index first = elements.begin; first < elements.end; first += at_once) {
    waves.set(box, {first, std::min(first + at_once, elements.end)}, with_gradients);
    action(std::as_const(waves));
  }
}

/// sum_k weight_k f[first + k] for each LM.
void interpolate(const std::vector<double>& multipoles, std::size_t first, std::span<const double> weights,
                 std::span<double> out) {
  std::fill(out.begin(), out.end(), 0.0);
  const double* from = multipoles.data() + first * out.size();
  for (const double weight : weights) {
    for (std::size_t lm = 0; lm < out.size(); ++lm) out[lm] += weight * from[lm];
    from += out.size();
  }
}

/// action(l, LM) for all LM.
template <class Action>
void for_harmonics(int largest_l, Action action) {
  for (int l = 0; l <= largest_l; ++l)
    for (int lm = l * l; lm < (l + 1) * (l + 1); ++lm) action(l, static_cast<std::size_t>(lm));
}

/// sum_LM (-i)^L Y_LM n_LM.
Complex transform_at(const Waves& waves, std::size_t n, const std::vector<double>& multipoles, std::span<double> work) {
  interpolate(multipoles, waves.nodes[n].first, waves.nodes[n].weight, work);
  double parts[2] = {0, 0};
  const double* const y = waves.harmonics_of(n);
  for_harmonics(waves.harmonics.l_max(), [&](int l, std::size_t lm) { parts[l % 2] += y[lm] * work[lm]; });
  return {parts[0], parts[1]};
}

/// The atoms of a species that are treated together, with their phases.
struct AtomGroup {
  AtomGroup(const FourierBox& box, const Crystal& crystal, std::span<const int> which)
      : numbers(which.begin(), which.end()) {
    const Int3 reach = max_indices(box.waves());
    for (const int atom : which) phases.emplace_back(reach, crystal.atoms[static_cast<std::size_t>(atom)].position);
  }
  [[nodiscard]] std::size_t size() const { return numbers.size(); }
  [[nodiscard]] std::size_t number(std::size_t a) const { return static_cast<std::size_t>(numbers[a]); }

  std::vector<int> numbers;
  std::vector<AtomPhases> phases;
};

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

std::vector<std::vector<double>> multipoles_of(const AugmentationTable& table, const AtomGroup& atoms,
                                               const AtomMatrices& rho) {
  std::vector<std::vector<double>> all;
  for (std::size_t a = 0; a < atoms.size(); ++a) all.push_back(table.multipoles(rho[atoms.number(a)]));
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
  for_groups(
      box_, crystal_, tables_, [](const auto&) { return 1; },
      [&](const AugmentationTable& table, const AtomGroup& atoms) {
        const auto multipoles = multipoles_of(table, atoms, rho);
        for_waves(box_, table, {0, box.size()}, false, [&](const Waves& waves) {
#pragma omp parallel
          {
            std::vector<double> work(table.num_harmonics());
#pragma omp for schedule(static)
            for (std::size_t n = 0; n < waves.at.size(); ++n) {
              Complex sum = 0;
              for (std::size_t a = 0; a < atoms.size(); ++a)
                sum += atoms.phases[a](box.g()[waves.at[n]]) * transform_at(waves, n, multipoles[a], work);
              density[waves.at[n]] += factor * sum;
            }
          }
        });
      });
  return density;
}

AtomMatrices Augmentation::integrals(const GridFft::Coefficients& potential) const {
  const PlaneWaves& box = box_.waves();
  AtomMatrices all;
  for (const Index size : num_projectors_) all.emplace_back(size, size);
  const auto numbers = [](const AugmentationTable& table) { return table.num_moments(); };
  for_groups(box_, crystal_, tables_, numbers, [&](const AugmentationTable& table, const AtomGroup& atoms) {
    const std::size_t each = table.num_moments(), harmonics = table.num_harmonics();
    std::vector<double> moments(each * atoms.size());
    box_.fft.over_waves().arrays(moments, [&](Range elements, std::span<double> out) {
      std::vector<std::vector<double>> multipoles(atoms.size(), std::vector<double>(table.nodes().count * harmonics));
      for_waves(box_, table, elements, false, [&](const Waves& waves) {
#pragma omp parallel for schedule(static)
        for (std::size_t a = 0; a < atoms.size(); ++a) {
          std::vector<double> at_wave(harmonics);
          for (std::size_t n = 0; n < waves.at.size(); ++n) {
            const Complex z = std::conj(potential[waves.at[n]]) * atoms.phases[a](box.g()[waves.at[n]]);
            const double* const y = waves.harmonics_of(n);
            for_harmonics(table.largest_l(),
                          [&](int l, std::size_t lm) { at_wave[lm] = y[lm] * (is_even(l) ? z.real() : -z.imag()); });
            double* to = multipoles[a].data() + waves.nodes[n].first * harmonics;
            for (const double weight : waves.nodes[n].weight) {
              for (std::size_t lm = 0; lm < harmonics; ++lm) to[lm] += weight * at_wave[lm];
              to += harmonics;
            }
          }
        }
      });
#pragma omp parallel for schedule(static)
      for (std::size_t a = 0; a < atoms.size(); ++a) table.add_moments(multipoles[a], out.subspan(a * each, each));
    });
    for (std::size_t a = 0; a < atoms.size(); ++a)
      table.add_matrix(std::span(moments).subspan(a * each, each), all[atoms.number(a)]);
  });
  return all;
}

std::vector<Vec3> Augmentation::forces(const AtomMatrices& rho, const GridFft::Coefficients& potential) const {
  const PlaneWaves& box = box_.waves();
  std::vector<Vec3> forces(crystal_.atoms.size(), Vec3{0, 0, 0});
  for_groups(
      box_, crystal_, tables_, [](const auto&) { return 3; },
      [&](const AugmentationTable& table, const AtomGroup& atoms) {
        const auto multipoles = multipoles_of(table, atoms, rho);
        std::vector<double> sums(3 * atoms.size());
        box_.fft.over_waves().arrays(sums, [&](Range elements, std::span<double> out) {
          for_waves(box_, table, elements, false, [&](const Waves& waves) {
#pragma omp parallel for schedule(static)
            for (std::size_t a = 0; a < atoms.size(); ++a) {
              std::vector<double> work(table.num_harmonics());
              for (std::size_t n = 0; n < waves.at.size(); ++n) {
                const Int3& g = box.g()[waves.at[n]];
                const Complex z = std::conj(potential[waves.at[n]]) * atoms.phases[a](g);
                const double slope = (z * transform_at(waves, n, multipoles[a], work)).imag();
                for (std::size_t axis = 0; axis < 3; ++axis) out[3 * a + axis] -= slope * g[axis];
              }
            }
          });
        });
        for (std::size_t a = 0; a < atoms.size(); ++a)
          forces[atoms.number(a)] = box.lattice().g_vector({sums[3 * a], sums[3 * a + 1], sums[3 * a + 2]});
      });
  return forces;
}

Mat3 Augmentation::strain(const AtomMatrices& rho, const GridFft::Coefficients& potential) const {
  const PlaneWaves& box = box_.waves();
  Mat3 strain{};
  for_groups(
      box_, crystal_, tables_, [](const auto&) { return 1; },
      [&](const AugmentationTable& table, const AtomGroup& atoms) {
        const auto multipoles = multipoles_of(table, atoms, rho);
        double sums[6];
        box_.fft.over_waves().arrays(sums, [&](Range elements, std::span<double> out) {
          std::vector<double> value(table.num_harmonics()), slope(value.size()), work(value.size());
          for_waves(box_, table, elements, true, [&](const Waves& waves) {
            for (std::size_t n = 0; n < waves.at.size(); ++n) {
              if (static_cast<Index>(waves.at[n]) == box.zero()) continue;
              const Vec3 g = box.k_plus_g(static_cast<Index>(waves.at[n]));
              const double length = norm(g);
              std::fill(value.begin(), value.end(), 0.0);
              std::fill(slope.begin(), slope.end(), 0.0);
              for (std::size_t a = 0; a < atoms.size(); ++a) {
                const Complex z = std::conj(potential[waves.at[n]]) * atoms.phases[a](box.g()[waves.at[n]]);
                const auto add = [&](std::span<const double> weights, std::vector<double>& to) {
                  interpolate(multipoles[a], waves.nodes[n].first, weights, work);
                  for_harmonics(table.largest_l(), [&](int l, std::size_t lm) {
                    to[lm] += (is_even(l) ? z.real() : -z.imag()) * work[lm];
                  });
                };
                add(waves.nodes[n].weight, value);
                add(waves.nodes[n].slope, slope);
              }
              const double* const y = waves.harmonics_of(n);
              double radial = 0;
              Vec3 angular{0, 0, 0};
              for_harmonics(table.largest_l(), [&](int l, std::size_t lm) {
                radial += y[lm] * slope[lm];
                angular = angular + (sign_of(l) * value[lm]) * waves.gradient[n * value.size() + lm];
              });
              add_to_symmetric(out, -radial / length, g);
              add_to_symmetric(out, (-1.0 / length) * g, angular);
            }
          });
        });
        strain = strain + symmetric(sums);
      });
  return strain;
}

}  // namespace wavegrid
