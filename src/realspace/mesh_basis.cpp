#include "realspace/mesh_basis.hpp"

#include <cstdio>
#include <string>

#include "base/error.hpp"
#include "base/units.hpp"

namespace wavegrid {

namespace {

/// Refuses atoms whose density would be cut off by a free boundary.
void require_inside_cell(const Crystal& crystal) {
  constexpr double least = 2;  // bohr
  for (int a = 0; a < crystal.num_atoms(); ++a)
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double height = 2.0 * units::pi / norm(crystal.lattice.reciprocal()[axis]);
      const double x = crystal.atoms[static_cast<std::size_t>(a)].position[axis];
      if (x * height >= least && (1 - x) * height >= least) continue;
      char distance[32];
      std::snprintf(distance, sizeof(distance), "%.3g", std::min(x, 1 - x) * height);
      throw bad_input("atom " + std::to_string(a + 1) + " lies " + distance +
                      " bohr inside the free boundary across lattice vector " + std::to_string(axis + 1) +
                      "; valid: at least 2 bohr inside the cell, or a region of spheres around the atoms");
    }
}

}  // namespace

MeshGrid mesh_grid_of(const MeshBasis& basis, const Crystal& crystal, const Int3& counts) {
  const Periodic periodic{basis.periodic, basis.periodic, basis.periodic};
  if (basis.region == MeshBasis::Region::cell) {
    if (!basis.periodic) require_inside_cell(crystal);
    return {crystal.lattice, counts, periodic, MeshRegion::cell()};
  }
  if (basis.periodic)
    throw bad_input(
        "the region is spheres around the atoms and the boundary is periodic; valid: a free boundary, or "
        "the whole cell as region");
  std::vector<Vec3> centres;
  for (int a = 0; a < crystal.num_atoms(); ++a) centres.push_back(crystal.cartesian(a));
  return {crystal.lattice, counts, periodic, MeshRegion::spheres(std::move(centres), basis.radius)};
}

}  // namespace wavegrid
