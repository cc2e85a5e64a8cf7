#include <algorithm>
#include <cmath>
#include <span>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/printable.hpp>
#include <wavegrid/base/units.hpp>
#include <wavegrid/checkpoint/checkpoint_header.hpp>

namespace wavegrid {

namespace {

void require_states(const char* what, std::size_t found, const CheckpointHeader& header) {
  if (static_cast<Index>(found) != header.num_states())
    throw bad_input("checkpoint: " + std::to_string(found) + " " + what + " for " +
                    std::to_string(header.num_kpoints()) + " k-points, " + std::to_string(header.spins) +
                    " spins and " + std::to_string(header.bands) + " bands");
}

/// The ranges are wide: they only have to keep out what would overflow or never end.
constexpr double largest_energy = 1e9;       // Ha, also of levels
constexpr double largest_occupation = 10.0;  // electrons; smearing may give more than 2 and less than 0
constexpr double largest_cell = 1e6, smallest_height = 0.1, smallest_spacing = 1e-5;  // bohr
constexpr double largest_cutoff = 1e5;                                                // Ha
constexpr int largest_grid = 100000, most_kpoints = 1000000;
constexpr double largest_element = 1e9;  // of matrices; electrons times the squared norm of a projector
constexpr double symmetric = 1e-6;       // how far two elements may differ, relative to the larger one or to 1

void require_within(const std::string& what, double x, double lowest, double highest) {
  if (!(x >= lowest && x <= highest))
    throw bad_input(what + " is " + to_text(x) + "; valid are " + to_text(lowest) + " to " + to_text(highest));
}

void require_within(const std::string& what, std::span<const double> values, double highest) {
  for (const double x : values) require_within(what, x, -highest, highest);
}

/// Needs a lattice of finite numbers.
void require_grid(const Lattice& lattice, const Int3& grid) {
  for (std::size_t i = 0; i < 3; ++i) {
    require_within("a size of the grid", grid[i], 1, largest_grid);
    require_within("a component of the cell (bohr)", lattice.vectors()[i], largest_cell);
    const double height = 2 * units::pi / norm(lattice.reciprocal()[i]);
    require_within("a height of the cell (bohr)", height, smallest_height, largest_cell);
    require_within("the spacing of the grid (bohr)", height / grid[i], smallest_spacing, largest_cell);
  }
}

void require_mesh(const KMesh& mesh) {
  for (std::size_t i = 0; i < 3; ++i) {
    require_within("a size of the k-point mesh", mesh.size[i], 1, most_kpoints);
    require_within("the shift of the k-point mesh", mesh.shift[i], -1000, 1000);
  }
}

void require_matrices(const CheckpointHeader& header) {
  if (!header.has_overlap()) {
    if (!header.matrices.empty()) throw bad_input("checkpoint: matrices of atoms without their sizes");
    return;
  }
  if (header.kinetic_density) throw bad_input("checkpoint: it has a kinetic-energy density or an overlap, not both");
  if (static_cast<Index>(header.matrix_sizes.size()) != header.crystal.num_atoms())
    throw bad_input("checkpoint: " + std::to_string(header.matrix_sizes.size()) + " sizes of matrices for " +
                    std::to_string(header.crystal.num_atoms()) + " atoms");
  if (header.matrix_datasets.size() != header.matrix_sizes.size())
    throw bad_input("checkpoint: " + std::to_string(header.matrix_datasets.size()) + " datasets of matrices for " +
                    std::to_string(header.matrix_sizes.size()) + " atoms");
  const Index elements = header.num_fields() * header.num_matrix_elements();
  if (static_cast<Index>(header.matrices.size()) != elements)
    throw bad_input("checkpoint: " + std::to_string(header.matrices.size()) +
                    " elements of matrices; their sizes say " + std::to_string(elements));
}

void require_symmetric(std::span<const double> matrix, int size) {
  const auto n = static_cast<std::size_t>(size);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const double lower = matrix[i * n + j], upper = matrix[j * n + i];
      if (std::abs(lower - upper) > symmetric * std::max({1.0, std::abs(lower), std::abs(upper)}))
        throw bad_input("a matrix of an atom is not symmetric: it has " + to_text(lower) + " and " + to_text(upper));
    }
}

void require_symmetric(const CheckpointHeader& header) {
  if (header.components == 2) return;  // real and imaginary parts of shells
  std::span<const double> remaining = header.matrices;
  for (int spin = 0; spin < header.spins; ++spin)
    for (const int size : header.matrix_sizes) {
      const std::size_t elements = static_cast<std::size_t>(size) * static_cast<std::size_t>(size);
      require_symmetric(remaining.first(elements), size);
      remaining = remaining.subspan(elements);
    }
}

}  // namespace

Index CheckpointHeader::num_matrix_elements() const {
  Index sum = 0;
  for (const int size : matrix_sizes) {
    require_within("the size of an atom's matrix", size, 0, max_matrix_size);
    sum += Index{size} * size;
  }
  return sum;
}

GSphere CheckpointHeader::sphere(int k) const {
  return {crystal.lattice, ecut, grid, mode, kpoints[static_cast<std::size_t>(k)].k};
}

void require_valid(const CheckpointHeader& header) {
  require_valid(header.crystal);
  if (header.kpoints.empty() || header.bands < 0 || header.spins < 1 || header.spins > 2)
    throw bad_input("checkpoint: " + std::to_string(header.num_kpoints()) + " k-points, " +
                    std::to_string(header.spins) + " spins, " + std::to_string(header.bands) +
                    " bands; at least one k-point, and one or two spins");
  if (header.components < 1 || header.components > 2 || (header.components == 2 && header.spins == 2))
    throw bad_input("checkpoint: bands of " + std::to_string(header.components) + " components, with " +
                    std::to_string(header.spins) + " spins; one component, or two with one spin");
  if (header.components == 2 && header.mode == Mode::gamma)
    throw bad_input("checkpoint: spinors on half of a sphere, which stores real wave functions");
  if (header.vector_magnetisation && header.components == 1)
    throw bad_input("checkpoint: a magnetisation with three components, and bands with one");
  if (header.block < 1 || header.block > (Index{1} << 20))
    throw bad_input("checkpoint: blocks of " + std::to_string(header.block) + " elements; 1 to 1048576");
  require_states("eigenvalues", header.eigenvalues.size(), header);
  require_states("occupations", header.occupations.size(), header);
  if (header.fermi.empty() || header.fermi.size() > 2)
    throw bad_input("checkpoint: " + std::to_string(header.fermi.size()) + " Fermi levels; one, or two with spin");
  require_matrices(header);
}

void require_physical(const CheckpointHeader& header) {
  require_grid(header.crystal.lattice, header.grid);
  require_within("the cutoff (Ha)", header.ecut, 1e-6, largest_cutoff);
  require_within("the number of k-points", static_cast<double>(header.kpoints.size()), 1, most_kpoints);
  for (const KPoint& point : header.kpoints) {
    require_within("a coordinate of a k-point", point.k, 1000.0);
    require_within("the weight of a k-point", point.weight, 0, 1 + 1e-9);
    if (header.mode == Mode::gamma && (header.num_kpoints() > 1 || norm2(point.k) != 0))
      throw bad_input("half of the sphere is stored for k-points other than Gamma");
  }
  if (header.mesh) require_mesh(*header.mesh);
  require_within("an eigenvalue (Ha)", header.eigenvalues, largest_energy);
  require_within("an occupation", header.occupations, largest_occupation);
  require_within("a Fermi level (Ha)", header.fermi, largest_energy);
  require_within("the energy (Ha)", header.energy, -largest_energy, largest_energy);
  require_within("an element of an atom's matrix", header.matrices, largest_element);
  require_symmetric(header);
  require_within("the number of steps", header.steps, 0, largest_energy);
}

}  // namespace wavegrid
