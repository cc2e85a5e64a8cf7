// A session on a mesh in real space.
#pragma once

#include <memory>

#include "calculation/session_implementation.hpp"

namespace wavegrid {

/// Each solve sets up the mesh of its geometry and starts from superposed atoms. Collective over `comm`. The problem is
/// valid and has a mesh_basis.
[[nodiscard]] std::unique_ptr<Session::Implementation> make_mesh_session(const Comm& comm, const Problem& problem,
                                                                         Trace* trace);

}  // namespace wavegrid
