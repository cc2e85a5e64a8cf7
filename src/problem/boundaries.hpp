// Which directions of a crystal are periodic.
#pragma once

#include <wavegrid/mesh/mesh_grid.hpp>

namespace wavegrid {

/// Along lattice vectors; `ends`: functions end in the others, as on a mesh, whose points are not repeated there.
struct Boundaries {
  Periodic periodic{true, true, true};
  bool ends = false;
};

}  // namespace wavegrid
