// Choice of the k-points of a calculation and of the group under which its density is symmetrised.
#pragma once

#include <string>
#include <vector>

#include "atoms/crystal.hpp"
#include "atoms/space_group.hpp"
#include "basis/kpoints.hpp"

namespace wavegrid {

/// k-points, the symmetry group by which they were reduced, and a description for the output.
struct KPointChoice {
  std::vector<KPoint> points;
  SpaceGroup group;
  std::string sentence;
};

/// The points of a mesh. With `use_symmetry`: one for each star under the operations of the crystal (with its initial
/// moments, one per atom or none) that map the mesh and the FFT grid onto themselves; otherwise one for each pair k and
/// -k, which are always equivalent. Pure, the same on all ranks. Throws bad_input for an invalid mesh or crystal.
[[nodiscard]] KPointChoice choose_kpoints(const Crystal& crystal, const std::vector<double>& moments, const Int3& grid,
                                          const KMesh& mesh, bool use_symmetry);

/// The smallest grid not below `least`, without prime factors above 7, that every operation of the crystal maps onto
/// itself.
[[nodiscard]] Int3 grid_for_symmetry(const Crystal& crystal, const std::vector<double>& moments, const Int3& least);

}  // namespace wavegrid
