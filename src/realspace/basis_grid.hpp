// The mesh that follows for a crystal from what a user has chosen (problem/mesh_basis.hpp).
#pragma once

#include <wavegrid/crystal/crystal.hpp>
#include <wavegrid/mesh/mesh_grid.hpp>
#include <wavegrid/problem/mesh_basis.hpp>

namespace wavegrid {

/// The points for a crystal with `counts` points along its lattice vectors. Throws bad_input, also where there is a
/// region_error(). Pure.
[[nodiscard]] MeshGrid make_mesh_grid(const MeshBasis& basis, const Crystal& crystal, const Int3& counts);

}  // namespace wavegrid
