// The mesh that follows for a crystal from what a user has chosen (problem/mesh_basis.hpp).
#pragma once

#include "atoms/crystal.hpp"
#include "mesh/mesh_grid.hpp"
#include "problem/mesh_basis.hpp"

namespace wavegrid {

/// The points for a crystal with `counts` points along its lattice vectors. Throws bad_input, also where there is a
/// region_error(). Pure.
[[nodiscard]] MeshGrid mesh_grid_of(const MeshBasis& basis, const Crystal& crystal, const Int3& counts);

}  // namespace wavegrid
