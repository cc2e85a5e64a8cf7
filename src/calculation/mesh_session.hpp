// A session on a mesh in real space.
#pragma once

#include <memory>

#include "calculation/session_implementation.hpp"

namespace wavegrid {

/// Where only atoms have moved, a solve starts from densities and bands of the last ones (extrapolation.hpp), on the
/// mesh of its own geometry; in another cell it starts from superposed atoms. The first
/// solve starts from superposed atoms or from the checkpoint of the problem. Collective over `comm`. The problem is
/// valid and has a mesh_basis.
[[nodiscard]] std::unique_ptr<Session::Implementation> make_mesh_session(const Comm& comm, const Problem& problem,
                                                                         Trace* trace, SessionOptions options);

}  // namespace wavegrid
