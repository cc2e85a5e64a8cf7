// How large a calculation on a mesh is.
#pragma once

#include "calculation/memory_estimate.hpp"

namespace wavegrid {

struct MeshSizes {
  Index points = 0;       ///< of the mesh, on all ranks
  MemoryEstimate memory;  ///< of a rank
};

/// Of a problem with a mesh_basis on a number of ranks. Pure. Throws bad_input for a mesh without points.
[[nodiscard]] MeshSizes mesh_sizes(const Problem& problem, int ranks);

}  // namespace wavegrid
