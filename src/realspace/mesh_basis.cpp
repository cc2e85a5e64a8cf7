#include "realspace/mesh_basis.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

#include "base/error.hpp"
#include "base/units.hpp"

namespace wavegrid {

namespace {

using Region = MeshBasis::Region;

constexpr double least_inside = 2;  ///< bohr, of an atom from a free boundary

void refuse_atom(int atom, double distance, const char* where, const char* valid) {
  if (distance >= least_inside) return;
  char text[32];
  std::snprintf(text, sizeof(text), "%.3g", std::abs(distance));
  throw bad_input("atom " + std::to_string(atom + 1) + " lies " + text + " bohr " +
                  (distance < 0 ? "outside" : "inside") + " the free boundary " + where +
                  "; valid: at least 2 bohr inside " + valid);
}

/// Refuses atoms whose density would be cut off by a free boundary of the cell.
void require_inside_cell(const Periodic& periodic, const Crystal& crystal) {
  for (int a = 0; a < crystal.num_atoms(); ++a)
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (periodic[axis]) continue;
      const double height = 2.0 * units::pi / norm(crystal.lattice.reciprocal()[axis]);
      const double x = crystal.atoms[static_cast<std::size_t>(a)].position[axis];
      refuse_atom(a, std::min(x, 1 - x) * height, ("across lattice vector " + std::to_string(axis + 1)).c_str(),
                  "the cell, or a region of spheres around the atoms");
    }
}

/// The component of a vector along a lattice vector, in the coordinates of the cell, bohr.
double along(const Lattice& lattice, std::size_t axis, const Vec3& away) {
  return dot(away, lattice.reciprocal()[axis]) / (2.0 * units::pi) * norm(lattice.vectors()[axis]);
}

void require_inside_box(const MeshBasis& basis, const Crystal& crystal) {
  for (int a = 0; a < crystal.num_atoms(); ++a)
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (basis.periodic[axis]) continue;
      const double x = along(crystal.lattice, axis, crystal.cartesian(a) - basis.centre);
      if (!basis.periodic[axis])
        refuse_atom(a, 0.5 * basis.lengths[axis] - std::abs(x), "of the box", "the box; larger lengths");
    }
}

void require_inside_cylinder(const MeshBasis& basis, const Crystal& crystal) {
  const auto axis = static_cast<std::size_t>(basis.axis);
  const Vec3& vector = crystal.lattice.vectors()[axis];
  for (int a = 0; a < crystal.num_atoms(); ++a) {
    const Vec3 away = crystal.cartesian(a) - basis.centre;
    refuse_atom(a, 0.5 * basis.length - std::abs(along(crystal.lattice, axis, away)), "at an end of the cylinder",
                "the cylinder; a larger length");
    const double across = norm(away - dot(away, vector) / norm2(vector) * vector);
    refuse_atom(a, basis.radius - across, "of the cylinder", "the cylinder; a larger radius");
  }
}

MeshRegion region_of(const MeshBasis& basis, const Crystal& crystal) {
  switch (basis.region) {
    case Region::cell:
      break;
    case Region::spheres: {
      std::vector<Vec3> centres;
      for (int a = 0; a < crystal.num_atoms(); ++a) centres.push_back(crystal.cartesian(a));
      return MeshRegion::spheres(std::move(centres), basis.radius);
    }
    case Region::cylinder:
      require_inside_cylinder(basis, crystal);
      return MeshRegion::cylinder(basis.centre, basis.axis, basis.radius, 0.5 * basis.length);
    case Region::box:
      require_inside_box(basis, crystal);
      return MeshRegion::box(basis.centre, 0.5 * basis.lengths);
  }
  require_inside_cell(basis.periodic, crystal);
  return MeshRegion::cell();
}

}  // namespace

MeshGrid mesh_grid_of(const MeshBasis& basis, const Crystal& crystal, const Int3& counts) {
  const int periodic = basis.num_periodic();
  if (periodic == 3 && basis.region != Region::cell)
    throw bad_input(
        "the region is not the whole cell and the boundary is periodic; valid: a free boundary, or the whole cell as "
        "region");
  const bool along_axis = periodic == 1 && basis.periodic[static_cast<std::size_t>(basis.axis)];
  if (basis.region == Region::cylinder && periodic > 0 && !along_axis)
    throw bad_input(
        "the region is a cylinder and the boundary is periodic across its axis; valid: periodic along the axis alone, "
        "or "
        "another region");
  return {crystal.lattice, counts, basis.periodic, region_of(basis, crystal)};
}

}  // namespace wavegrid
