// Which k-points a calculation sums over, and under which group its density is symmetrised.
#pragma once

#include <string>
#include <vector>

#include "atoms/crystal.hpp"
#include "atoms/space_group.hpp"
#include "basis/kpoints.hpp"

namespace wavegrid {

/// k-points with the group that belongs to them, and what was done, for the output.
struct KPointChoice {
  std::vector<KPoint> points;
  SpaceGroup group;
  std::string sentence;
};

/// The points of a mesh. Where `use_symmetry`, one for each star under the operations of the crystal (with its starting
/// moments, one per atom or none) that map the mesh and the FFT grid onto themselves; else k and -k, which never
/// differ, count as one. Pure, the same on all ranks. Throws bad_input for an invalid mesh or crystal.
[[nodiscard]] KPointChoice choose_kpoints(const Crystal& crystal, const std::vector<double>& moments, const Int3& grid,
                                          const KMesh& mesh, bool use_symmetry);

/// The smallest grid from `least` on, without prime factors above 7, that carries every operation of the crystal.
[[nodiscard]] Int3 grid_for_symmetry(const Crystal& crystal, const std::vector<double>& moments, const Int3& least);

}  // namespace wavegrid
