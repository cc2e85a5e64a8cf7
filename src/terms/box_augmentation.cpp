#include <algorithm>
#include <cmath>
#include <utility>

#include <wavegrid/basis/real_harmonics.hpp>
#include <wavegrid/fft/field_exchange.hpp>
#include <wavegrid/terms/box_augmentation.hpp>
#include <wavegrid/terms/dataset_matrices.hpp>
#include <wavegrid/terms/rank_sums.hpp>
#include <wavegrid/terms/symmetric_sums.hpp>

namespace wavegrid {

namespace {

/// |G| of the density's sphere, 1/bohr. Collective.
double largest_wave(const FourierBox& box) {
  double largest = 0;
  for (std::size_t i = 0; i < box.inside.size(); ++i)
    if (box.inside[i]) largest = std::max(largest, box.waves().kinetic()[i]);
  return std::sqrt(2.0 * box.fft.comm().max(largest));
}

/// The shortest vector by which a grid aliases, 1/bohr.
double shortest_alias(const Lattice& lattice, const Int3& grid) {
  double shortest = 0;
  for (int x = -1; x <= 1; ++x)
    for (int y = -1; y <= 1; ++y)
      for (int z = -1; z <= 1; ++z) {
        const double length = norm(lattice.g_vector({1.0 * x * grid[0], 1.0 * y * grid[1], 1.0 * z * grid[2]}));
        if (length > 0 && (shortest == 0 || length < shortest)) shortest = length;
      }
  return shortest;
}

/// The atoms whose boxes are on a rank: one in `ranks` of those with augmentation, so that neighbours are together.
bool is_mine(std::size_t number, std::size_t count, const Comm& comm) {
  return static_cast<int>(number * static_cast<std::size_t>(comm.size()) / count) == comm.rank();
}

}  // namespace

BoxAugmentation::BoxAugmentation(const FourierBox& box, const Crystal& crystal, const Pseudopotentials& atoms,
                                 Augmentation::Datasets which, const BoxOptions& options)
    : box_(box) {
  const Lattice& lattice = box.waves().lattice();
  const double largest = largest_wave(box), beyond = shortest_alias(lattice, box.fft.grid()) - largest;
  for (const auto& atom : atoms) {
    Species& found = species_.emplace_back();
    const AugmentedDataset* const dataset = atom->augmented();
    if (dataset == nullptr || (which == Augmentation::Datasets::outside_xc && !has_charge_outside_xc(*atom))) continue;
    found.table = std::make_unique<AugmentationTable>(*dataset, largest);
    found.shapes = std::make_unique<BoxShapes>(*found.table, largest, beyond);
  }
  std::vector<std::size_t> augmented;
  for (std::size_t a = 0; a < crystal.atoms.size(); ++a) {
    const auto species = static_cast<std::size_t>(crystal.atoms[a].species);
    num_projectors_.push_back(num_projectors_per_atom(*atoms[species]));
    if (species_[species].table) augmented.push_back(a);
  }
  std::vector<Box> boxes;
  for (std::size_t n = 0; n < augmented.size(); ++n) {
    if (!is_mine(n, augmented.size(), box.fft.comm())) continue;
    const Atom& atom = crystal.atoms[augmented[n]];
    const auto species = static_cast<std::size_t>(atom.species);
    const double radius = species_[species].shapes->radius();
    atoms_.push_back(
        {augmented[n], species, AtomBox(lattice, box.fft.grid(), atom.position, radius, static_cast<Index>(n))});
    boxes.push_back(atoms_.back().box.box());
  }
  exchange_ = std::make_unique<BoxExchange>(box.fft.comm(), box.fft.grid(), grid_indices(box.fft.layout()),
                                            std::move(boxes), options);
}

double BoxAugmentation::largest_radius() const {
  double radius = 0;
  for (const Species& species : species_)
    if (species.shapes) radius = std::max(radius, species.shapes->radius());
  return radius;
}

std::vector<std::vector<double>> BoxAugmentation::functions(const AtomMatrices& rho) const {
  std::vector<std::vector<double>> all;
  for (const MyAtom& atom : atoms_)
    all.push_back(species(atom).shapes->functions(species(atom).table->moments(rho[atom.number])));
  return all;
}

FieldValues BoxAugmentation::density(const AtomMatrices& rho) const {
  const std::vector<std::vector<double>> n = functions(rho);
  const FillBox<double> fill = [&](Index b, std::span<double> values) {
    const MyAtom& atom = atoms_[static_cast<std::size_t>(b)];
    const BoxShapes& shapes = *species(atom).shapes;
    const RealHarmonics harmonics(species(atom).table->largest_l());
    std::vector<double> y(harmonics.size()), radial(y.size());
    std::fill(values.begin(), values.end(), 0.0);
    atom.box.for_points([&](std::size_t at, const Vec3& r, double distance) {
      harmonics.values(r, y);
      shapes.interpolate(n[static_cast<std::size_t>(b)], distance, radial, {});
      for (std::size_t lm = 0; lm < y.size(); ++lm) values[at] += y[lm] * radial[lm];
    });
  };
  FieldValues density(static_cast<std::size_t>(box_.fft.grid_size()));
  exchange_->deposit<double>(fill, density.data());
  return density;
}

AtomMatrices BoxAugmentation::integrals(const FieldValues& potential) const {
  AtomMatrices all;
  for (const Index size : num_projectors_) all.emplace_back(size, size);
  const ReadBox<double> read = [&](Index b, std::span<const double> values) {
    const MyAtom& atom = atoms_[static_cast<std::size_t>(b)];
    const BoxShapes& shapes = *species(atom).shapes;
    const RealHarmonics harmonics(species(atom).table->largest_l());
    std::vector<double> y(harmonics.size()), sums(shapes.num_values()), moments(species(atom).table->num_moments());
    atom.box.for_points([&](std::size_t at, const Vec3& r, double distance) {
      harmonics.values(r, y);
      for (double& value : y) value *= values[at];
      shapes.add_to_nodes(distance, y, sums);
    });
    for (double& sum : sums) sum *= box_.fft.volume_element();
    shapes.add_moments(sums, moments);
    species(atom).table->add_matrix(moments, all[atom.number]);
  };
  exchange_->extract<double>(potential.data(), read);
  std::vector<double> numbers = numbers_of(all);
  box_.fft.comm().merge(std::span<double>(numbers));  // exact: an atom is 0 on all ranks but one
  set_numbers(numbers, all);
  return all;
}

template <class Action>
void BoxAugmentation::for_slopes(const AtomMatrices& rho, const FieldValues& potential, Action action) const {
  constexpr double least_distance = 1e-5;  // bohr: closer, the gradient is that of the functions with L = 1 at it
  const std::vector<std::vector<double>> n = functions(rho);
  const ReadBox<double> read = [&](Index b, std::span<const double> values) {
    const MyAtom& atom = atoms_[static_cast<std::size_t>(b)];
    const RealHarmonics harmonics(species(atom).table->largest_l());
    std::vector<double> y(harmonics.size()), radial(y.size()), slope(y.size());
    std::vector<Vec3> gradient(y.size());
    atom.box.for_points([&](std::size_t at, const Vec3& r, double distance) {
      const bool is_atom = distance < least_distance;
      const double length = is_atom ? least_distance : distance;
      const Vec3 direction = is_atom ? Vec3{0, 0, 1} : (1.0 / distance) * r;
      harmonics.gradients(direction, y, gradient);
      species(atom).shapes->interpolate(n[static_cast<std::size_t>(b)], length, radial, slope);
      double value = 0, along = 0;
      Vec3 across{0, 0, 0};
      for (std::size_t lm = 0; lm < y.size(); ++lm) {
        value += radial[lm] * y[lm];
        if (is_atom && (lm < 1 || lm > 3)) continue;
        along += slope[lm] * y[lm];
        across = across + (radial[lm] / length) * gradient[lm];
      }
      action(static_cast<std::size_t>(b), values[at], r, value, along * direction + across);
    });
  };
  exchange_->extract<double>(potential.data(), read);
}

std::vector<Vec3> BoxAugmentation::forces(const AtomMatrices& rho, const FieldValues& potential) const {
  std::vector<Vec3> forces(num_projectors_.size(), Vec3{0, 0, 0});
  for_slopes(rho, potential, [&](std::size_t b, double v, const Vec3&, double, const Vec3& slope) {
    Vec3& force = forces[atoms_[b].number];
    force = force + (v * box_.fft.volume_element()) * slope;
  });
  for (Vec3& force : forces) box_.fft.comm().merge(std::span<double>(force));
  return forces;
}

Mat3 BoxAugmentation::strain(const AtomMatrices& rho, const FieldValues& potential) const {
  std::vector<double> each(6 * num_projectors_.size());
  for_slopes(rho, potential, [&](std::size_t b, double v, const Vec3& r, double n, const Vec3& slope) {
    const std::span<double> sum = std::span(each).subspan(6 * atoms_[b].number, 6);
    add_to_symmetric(sum, (v * box_.fft.volume_element()) * slope, r);
    for (std::size_t axis = 0; axis < 3; ++axis) sum[axis] += v * box_.fft.volume_element() * n;
  });
  box_.fft.comm().merge(std::span<double>(each));
  double sums[6] = {};
  for (std::size_t i = 0; i < each.size(); ++i) sums[i % 6] += each[i];
  return symmetric(sums);
}

}  // namespace wavegrid
