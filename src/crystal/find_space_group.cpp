#include <spglib.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/printable.hpp>
#include <wavegrid/crystal/find_space_group.hpp>

namespace wavegrid {

namespace {

constexpr double same_moment = 1e-6;

/// The input of spglib. It needs a right-handed cell: of a left-handed one the first two vectors are swapped.
struct SpglibCell {
  std::array<std::array<double, 3>, 3> vectors;  // columns
  std::vector<std::array<double, 3>> positions;
  std::vector<int> types;
  bool swapped;
};

/// Whether one is the other, or that expanded in all directions alike (an equation of state): both have the same group.
bool are_similar(const SpglibCell& a, const SpglibCell& b) {
  constexpr double rounding = 1e-14, most = 1.5;  // of the ratio, by which the tolerance would change as well
  if (a.types != b.types || a.swapped != b.swapped || a.positions != b.positions) return false;
  const auto size = [](const SpglibCell& cell) {
    double sum = 0;
    for (const auto& row : cell.vectors)
      for (const double x : row) sum += x * x;
    return std::sqrt(sum);
  };
  const double ratio = size(a) / size(b);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      if (std::abs(a.vectors[i][j] - ratio * b.vectors[i][j]) > rounding * size(a)) return false;
  return ratio < most && ratio > 1 / most;
}

std::size_t axis_in(const SpglibCell& cell, std::size_t axis) { return cell.swapped && axis < 2 ? 1 - axis : axis; }

/// Numbers the types of atoms by first appearance: atoms of the same species and moment have the same type.
std::vector<int> types_of(const Crystal& crystal, std::span<const double> moments) {
  std::vector<std::pair<int, double>> kinds;
  std::vector<int> types;
  for (int a = 0; a < crystal.num_atoms(); ++a) {
    const int species = crystal.atoms[static_cast<std::size_t>(a)].species;
    const double moment = moments.empty() ? 0 : moments[static_cast<std::size_t>(a)];
    const auto same = [&](const auto& kind) {
      return kind.first == species && std::abs(kind.second - moment) <= same_moment;
    };
    const auto known = std::find_if(kinds.begin(), kinds.end(), same);
    types.push_back(1 + static_cast<int>(known - kinds.begin()));
    if (known == kinds.end()) kinds.emplace_back(species, moment);
  }
  return types;
}

SpglibCell cell_of(const Crystal& crystal, std::span<const double> moments) {
  SpglibCell cell{{}, {}, types_of(crystal, moments), determinant(crystal.lattice.vectors()) < 0};
  for (std::size_t d = 0; d < 3; ++d)
    for (std::size_t c = 0; c < 3; ++c) cell.vectors[c][axis_in(cell, d)] = crystal.lattice.vectors()[d][c];
  for (const Atom& atom : crystal.atoms) {
    cell.positions.emplace_back();
    for (std::size_t d = 0; d < 3; ++d) cell.positions.back()[axis_in(cell, d)] = atom.position[d];
  }
  return cell;
}

using Dataset = std::unique_ptr<SpglibDataset, void (*)(SpglibDataset*)>;

Dataset dataset_of(SpglibCell& cell, double tolerance) {
  using Rows = double(*)[3];
  Dataset found(
      spg_get_dataset(reinterpret_cast<Rows>(cell.vectors.data()), reinterpret_cast<Rows>(cell.positions.data()),
                      cell.types.data(), static_cast<int>(cell.types.size()), tolerance),
      spg_free_dataset);
  if (!found)
    throw bad_input("no symmetry is found within " + to_text(tolerance) +
                    " bohr; another tolerance may help, or a calculation without symmetry");
  return found;
}

std::vector<SymmetryOperation> operations_of(const SpglibDataset& found, const SpglibCell& cell) {
  std::vector<SymmetryOperation> operations(static_cast<std::size_t>(found.n_operations));
  for (std::size_t o = 0; o < operations.size(); ++o)
    for (std::size_t i = 0; i < 3; ++i) {
      operations[o].translation[i] = found.translations[o][axis_in(cell, i)];
      for (std::size_t j = 0; j < 3; ++j)
        operations[o].rotation[i][j] = found.rotations[o][axis_in(cell, i)][axis_in(cell, j)];
    }
  return operations;
}

void require_valid_request(const Crystal& crystal, std::span<const double> moments, double tolerance) {
  require_valid(crystal);
  if (!moments.empty() && moments.size() != crystal.atoms.size())
    throw bad_input(std::to_string(moments.size()) + " magnetic moments for " + std::to_string(crystal.num_atoms()) +
                    " atoms; valid: one per atom, or none");
  if (!(tolerance > 0) || !std::isfinite(tolerance))
    throw bad_input("the tolerance of symmetry is " + to_text(tolerance) + " bohr; valid: above 0, such as 1e-5");
}

/// The last group that was found. Input, grid, k-points and memory of one calculation ask for the same group, and
/// spglib takes 5 to 15 ms to find it.
struct Found {
  SpglibCell cell;
  double tolerance;
  SpaceGroup group;
};

std::mutex guard;
std::optional<Found> last;

/// Distance (bohr) from `point` to the nearest image of `position`, and which image.
std::pair<double, Int3> nearest_image(const Lattice& lattice, const Vec3& point, const Vec3& position) {
  Vec3 rest = point - position;
  Int3 shift{};
  for (std::size_t d = 0; d < 3; ++d) {
    shift[d] = static_cast<int>(std::lround(rest[d]));
    rest[d] -= shift[d];
  }
  return {norm(lattice.cartesian(rest)), shift};
}

}  // namespace

SpaceGroup find_space_group(const Crystal& crystal, std::span<const double> moments, double tolerance) {
  require_valid_request(crystal, moments, tolerance);
  SpglibCell cell = cell_of(crystal, moments);
  const std::lock_guard lock(guard);
  if (!last || last->tolerance != tolerance || !are_similar(last->cell, cell)) {
    const Dataset found = dataset_of(cell, tolerance);
    SpaceGroup group(operations_of(*found, cell), found->international_symbol, found->spacegroup_number);
    last = {std::move(cell), tolerance, std::move(group)};
  }
  return last->group;
}

std::vector<AtomImage> atom_images(const Crystal& crystal, const SymmetryOperation& operation, double tolerance) {
  std::vector<AtomImage> images;
  std::vector<bool> taken(crystal.atoms.size(), false);
  for (const Atom& atom : crystal.atoms) {
    const Vec3 point = image_of(operation, atom.position);
    std::size_t to = 0;
    Int3 shift{};
    for (; to < crystal.atoms.size(); ++to) {
      if (crystal.atoms[to].species != atom.species || taken[to]) continue;
      double distance = 0;
      std::tie(distance, shift) = nearest_image(crystal.lattice, point, crystal.atoms[to].position);
      if (distance <= tolerance) break;
    }
    if (to == crystal.atoms.size())
      throw internal_error("a symmetry operation maps atom " + std::to_string(images.size() + 1) +
                           " to a position without an atom of its species");
    taken[to] = true;
    images.push_back({static_cast<int>(to), shift});
  }
  return images;
}

}  // namespace wavegrid
