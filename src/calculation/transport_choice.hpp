// The transport of a calculation's transposes, or of its halo exchanges: read from earlier runs, stored for later ones,
// named in the output.
#pragma once

#include <optional>
#include <string>

#include "calculation/plane_wave_bands.hpp"
#include "mesh/mesh_operator.hpp"

namespace wavegrid {

// `group` is the band group. Without a file, or without bands, nothing is done. All are collective over the group.

/// Applies the choice that an earlier run with the same MPI, message counts and similar message sizes has stored in
/// `file`.
template <class S>
void recall_transport(MyBands<S>& bands, const Comm& group, const std::string& file);
/// Stores the choice of the tuner, if there was one.
template <class S>
void remember_transport(const MyBands<S>& bands, const Comm& group, const std::string& file);
/// The same for the halo exchange of a mesh. Collective over the ranks of the operator.
void recall_transport(MeshOperator& laplacian, const std::string& file);
void remember_transport(const MeshOperator& laplacian, const std::string& file);
/// The transport in use; on one rank the `requested` one, or "none".
template <class S>
[[nodiscard]] std::string transport_label(const MyBands<S>& bands, const Comm& group,
                                          const std::optional<Transport>& requested);

}  // namespace wavegrid
