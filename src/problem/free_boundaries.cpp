#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/printable.hpp>
#include <wavegrid/base/units.hpp>
#include <wavegrid/ions/coulomb_kernel.hpp>
#include <wavegrid/problem/free_boundaries.hpp>

namespace wavegrid {

namespace {

auto num_periodic(const Periodic& periodic) { return std::ranges::count(periodic, true); }

double height(const Lattice& lattice, std::size_t axis) { return 2.0 * units::pi / norm(lattice.reciprocal()[axis]); }

/// Two equal halves of a cell would be images of each other.
constexpr double below_half = 1 - 1e-6;

/// Along a free direction the interaction reaches half of the cell.
void require_half_cell(const Crystal& crystal, std::size_t axis) {
  const double whole = height(crystal.lattice, axis);
  const double extent = (1 - widest_gap(crystal, axis).width) * whole;
  if (extent > 0.5 * whole * below_half)
    throw bad_input("atoms extend over " + to_text(extent) + " bohr along lattice vector " + std::to_string(axis + 1) +
                    ", where the boundary is free and the cell has " + to_text(whole) +
                    " bohr; valid: less than half of the cell, or a longer vector");
}

/// Around a chain it reaches as far in all directions.
void require_thin(const Crystal& crystal, const Periodic& periodic) {
  const double radius = cutoff_radius(crystal.lattice, periodic);
  const CoulombKernel chain(crystal.lattice, periodic, radius);
  const Crystal placed = in_one_piece(crystal, periodic);
  double widest = 0;
  for (int a = 0; a < placed.num_atoms(); ++a)
    for (int b = 0; b < a; ++b) {
      const Vec3 between = placed.cartesian(a) - placed.cartesian(b);
      widest = std::max(widest, norm(between - chain.along(between)));
    }
  if (widest > radius * below_half)
    throw bad_input("atoms of a chain are " + to_text(widest) + " bohr from each other across it, and the cell has " +
                    to_text(2 * radius) + " bohr there; valid: less than half of the cell, or longer vectors");
}

}  // namespace

void require_fitting_boundary(const Problem& problem) {
  const Periodic periodic = problem.periodic();
  const auto directions = num_periodic(periodic);
  if (directions == 0 && problem.kpoints.size() + problem.band_path.size() > 1)
    throw bad_input("there are k-points and the boundary is free; valid: Gamma alone, or a periodic boundary");
  for (const auto* points : {&problem.kpoints, &problem.band_path})
    for (const KPoint& point : *points)
      for (std::size_t d = 0; d < 3; ++d)
        if (!periodic[d] && point.k[d] != 0)
          throw bad_input("a k-point has the component " + to_text(point.k[d]) + " along lattice vector " +
                          std::to_string(d + 1) + ", where the boundary is free; valid: 0");
  if (problem.charge != 0 && (directions == 1 || directions == 2))
    throw bad_input("the charge is " + to_text(problem.charge) +
                    " and the boundary is periodic in some directions only; valid: 0, or a boundary that is free or "
                    "periodic in all directions");
}

double cutoff_radius(const Lattice& lattice, const Periodic& periodic) {
  double smallest = std::numeric_limits<double>::max();
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (!periodic[axis]) smallest = std::min(smallest, height(lattice, axis));
  return 0.5 * smallest;
}

Crystal in_one_piece(Crystal crystal, const Periodic& periodic) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (periodic[axis]) continue;
    const double begin = widest_gap(crystal, axis).middle;
    for (Atom& atom : crystal.atoms) atom.position[axis] -= std::floor(atom.position[axis] - begin);
  }
  return crystal;
}

void require_valid_free_waves(const Problem& problem) {
  const Periodic periodic = problem.periodic();
  const auto directions = num_periodic(periodic);
  if (directions == 3) return;
  require_fitting_boundary(problem);
  if (directions == 0 && problem.derivatives.stress)
    throw bad_input("stress is wanted and the boundary is free; valid: a periodic boundary, or no stress");
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (!periodic[axis]) require_half_cell(problem.crystal, axis);
  if (directions == 1) require_thin(problem.crystal, periodic);
}

}  // namespace wavegrid
