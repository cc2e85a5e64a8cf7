// What a user chooses of a mesh in real space.
#pragma once

#include <algorithm>

#include <wavegrid/mesh/mesh_operator.hpp>

namespace wavegrid {

/// A mesh in real space as the discretisation of a calculation.
struct MeshBasis {
  enum class Region { cell, spheres, cylinder, box };

  int order = 8;  ///< of the finite differences
  Region region = Region::cell;
  double radius = 0;                    ///< of the spheres around all atoms, or of the cylinder, bohr
  int axis = 2;                         ///< lattice vector along which the cylinder lies
  double length = 0;                    ///< of the cylinder, bohr
  Vec3 lengths{};                       ///< of the box along the lattice vectors, bohr
  Vec3 centre{};                        ///< of cylinder or box, bohr: they stay while atoms move
  Periodic periodic{true, true, true};  ///< in the others functions are zero outside the region
  MeshPartitionMethod partition = MeshPartitionMethod::metis;
  bool two_level = true;  ///< as in MeshPartitionOptions
  bool reorder = true;    ///< likewise
  HaloOverlap overlap = HaloOverlap::automatic;

  [[nodiscard]] int num_periodic() const {
    return static_cast<int>(std::count(periodic.begin(), periodic.end(), true));
  }
  [[nodiscard]] bool is_periodic() const { return num_periodic() == 3; }  ///< in all directions
};

}  // namespace wavegrid
