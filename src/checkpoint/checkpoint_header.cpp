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

}  // namespace

GSphere CheckpointHeader::sphere(int k) const {
  return {crystal.lattice, ecut, grid, mode, kpoints[static_cast<std::size_t>(k)].k};
}

void require_valid(const CheckpointHeader& header) {
  require_valid(header.crystal);
  if (header.kpoints.empty() || header.bands < 1 || header.spins < 1 || header.spins > 2)
    throw bad_input("checkpoint: " + std::to_string(header.num_kpoints()) + " k-points, " +
                    std::to_string(header.spins) + " spins, " + std::to_string(header.bands) +
                    " bands; at least one k-point and band, and one or two spins");
  if (header.block < 1 || header.block > (Index{1} << 20))
    throw bad_input("checkpoint: blocks of " + std::to_string(header.block) + " elements; 1 to 1048576");
  require_states("eigenvalues", header.eigenvalues.size(), header);
  require_states("occupations", header.occupations.size(), header);
  if (header.fermi.empty() || header.fermi.size() > 2)
    throw bad_input("checkpoint: " + std::to_string(header.fermi.size()) + " Fermi levels; one, or two with spin");
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
  require_within("the number of steps", header.steps, 0, largest_energy);
}

}  // namespace wavegrid
