#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/printable.hpp>
#include <wavegrid/base/vec3.hpp>
#include <wavegrid/checkpoint/checkpoint_header.hpp>
#include <wavegrid/checkpoint/claimed_sizes.hpp>

namespace wavegrid {

namespace {

constexpr Index max_kpoints = 1'000'000, max_atoms = 1'000'000, max_rotations = 48;
constexpr double max_waves = 1e12;  // of a k-point: more than a file holds; times max_kpoints it is an Index

Index claimed_size(const Hdf5Reader& file, const std::string& name, std::size_t axis) {
  const ArrayShape found = file.shape(name);
  if (axis < found.shape.size()) return found.shape[axis];
  throw bad_input("checkpoint " + file.name() + ": " + name + " has " + std::to_string(found.shape.size()) +
                  " dimensions");
}

Mat3 claimed_cell(const Hdf5Reader& file) {
  const Table table = file.table({"/wavegrid/cell", ElementType::float64, {3, 3}});
  const std::span<const double> values = table.doubles();
  return {{{values[0], values[1], values[2]}, {values[3], values[4], values[5]}, {values[6], values[7], values[8]}}};
}

/// A bound on the plane waves of a k-point: the cells of the reciprocal lattice that touch the sphere of the cutoff.
Index waves_bound(const Hdf5Reader& file) {
  const Mat3 cell = claimed_cell(file);
  const double ecut = file.table({"/wavegrid/ecut", ElementType::float64}).doubles()[0];
  const double volume = std::abs(dot(cell[0], cross(cell[1], cell[2])));
  double reach = 0;
  for (std::size_t i = 0; i < 3; ++i)
    reach += std::numbers::pi * norm(cross(cell[(i + 1) % 3], cell[(i + 2) % 3])) / volume;
  const double bound = volume * std::pow(std::sqrt(2 * ecut) + reach, 3) / (6 * std::numbers::pi * std::numbers::pi);
  if (!(bound >= 0 && bound <= max_waves))  // also where it is not a number
    throw bad_input("checkpoint " + file.name() + ": no calculation has its cell with a cutoff of " + to_text(ecut) +
                    " Ha");
  return static_cast<Index>(bound) + 1;
}

}  // namespace

void require_claims(const Hdf5Reader& file) {
  const Index kpoints = claimed_size(file, "/wavegrid/kpoints", 0);
  const Index atoms = claimed_size(file, "/wavegrid/positions", 0);
  const Index waves = claimed_size(file, "/wfns/gvecs", 0);
  const auto require = [&](const std::string& name, std::size_t axis, const char* what, Index most) {
    const Index count = claimed_size(file, name, axis);
    if (count > most)
      throw bad_input("checkpoint " + file.name() + " claims " + std::to_string(count) + " " + what + " (" + name +
                      "); valid are up to " + std::to_string(most));
  };
  require("/wavegrid/kpoints", 0, "k-points", max_kpoints);
  require("/wavegrid/positions", 0, "atoms", max_atoms);
  require("/wavegrid/atom_species", 0, "atoms", atoms);
  require("/wavegrid/species", 0, "species", atoms);
  require("/wavegrid/rotations", 0, "symmetry operations", max_rotations * atoms);
  require("/wavegrid/fermi", 0, "Fermi levels", 2);
  require("/wfns/gvecs", 0, "G-vectors", waves_bound(file) * kpoints);
  const Index most_bands = 2 * waves / std::max<Index>(1, kpoints);  // half of a sphere stands for the other half
  require("/wavegrid/eigenvalues", 0, "k-points", kpoints);
  require("/wavegrid/eigenvalues", 1, "spins", 2);
  require("/wavegrid/eigenvalues", 2, "bands", most_bands);
  if (!file.has("/wavegrid/matrices")) return;
  require("/wavegrid/matrix_sizes", 0, "atoms", atoms);
  require("/wavegrid/matrix_datasets", 0, "atoms", atoms);
  require("/wavegrid/matrices", 0, "spin components", 4);
  require("/wavegrid/matrices", 1, "elements of matrices", Index{max_matrix_size} * max_matrix_size * atoms);
}

}  // namespace wavegrid
