// How large a calculation on a mesh is, and how it is divided.
#pragma once

#include "calculation/memory_estimate.hpp"
#include "costmodel/choose_groups.hpp"

namespace wavegrid {

/// The k-point and band groups of a problem with a mesh_basis. Pure, the same on all ranks. Throws bad_input if those
/// that the problem requests do not fit the ranks.
[[nodiscard]] GroupChoice mesh_groups(const Problem& problem, int ranks);

/// The points of its region. Pure.
[[nodiscard]] Index num_mesh_points(const Problem& problem);

struct MeshSizes {
  Index points = 0;       ///< of the mesh, on all ranks
  MemoryEstimate memory;  ///< of a rank
};

/// Of a problem with a mesh_basis on a number of ranks. Pure. Throws bad_input for a mesh without points.
[[nodiscard]] MeshSizes mesh_sizes(const Problem& problem, int ranks);

}  // namespace wavegrid
