// The geometry to which the bands and the density of a session belong.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include <wavegrid/problem/problem.hpp>

namespace wavegrid {

/// The geometry to which bands and density belong, and its k-points.
struct SolvedGeometry {
  Crystal crystal;
  Int3 grid;
  std::optional<DensityGrid> density_grid;
  std::vector<KPoint> kpoints;
  SpaceGroup symmetry;

  /// Whether a problem has the same cell and grids: exactly, as neglected differences would add up over many changes.
  [[nodiscard]] bool has_same_basis(const Problem& problem) const {
    return crystal.lattice.vectors() == problem.crystal.lattice.vectors() && grid == problem.grid &&
           density_grid == problem.density_grid;
  }
  /// Whether the grids have the same numbers of points; the cells may differ.
  [[nodiscard]] bool has_same_counts(const Problem& problem) const { return grid == problem.grid; }
  /// Whether its atoms are at the same positions, exactly.
  [[nodiscard]] bool has_same_atoms(const Problem& problem) const {
    return std::equal(crystal.atoms.begin(), crystal.atoms.end(), problem.crystal.atoms.begin(),
                      [](const Atom& a, const Atom& b) { return a.position == b.position; });
  }
  /// Whether its k-points are the same, exactly.
  [[nodiscard]] bool has_same_kpoints(const Problem& problem) const {
    return std::equal(kpoints.begin(), kpoints.end(), problem.kpoints.begin(), problem.kpoints.end(),
                      [](const KPoint& a, const KPoint& b) { return a.k == b.k; });
  }
};

}  // namespace wavegrid
