// What a rank sends, counted by purpose.
#pragma once

#include <array>
#include <cstddef>

#include <wavegrid/base/index.hpp>

namespace wavegrid {

/// What the values of an exchange plan are moved for.
enum class TrafficKind {
  sticks_and_planes,    ///< the first transpose of the transform, inside a row of ranks
  planes_and_sections,  ///< the second one, inside a column
  bands,                ///< complete bands to band groups, and back
  fields,               ///< density and potential between all ranks and the band groups, and between two grids
  halo,                 ///< ghost points of a mesh
  mesh_and_box,         ///< fields on a mesh and on the box around it
  coefficients,         ///< bands to another layout: for checkpoints, equivalent k-points, another basis
  other
};
inline constexpr std::size_t num_traffic_kinds = 8;

/// The name used in output.
[[nodiscard]] constexpr const char* to_string(TrafficKind kind) {
  constexpr std::array<const char*, num_traffic_kinds> names{
      "sticks_and_planes", "planes_and_sections", "bands", "fields", "halo", "mesh_and_box", "coefficients", "other"};
  return names[static_cast<std::size_t>(kind)];
}

/// Counts of one kind. A message is what a plan has for one partner, also where the transport packs several into one
/// call; what stays on its rank does not count.
struct Traffic {
  Index exchanges = 0;  ///< of blocks of bands
  Index messages = 0, bytes = 0;
  double seconds = 0;  ///< of packing, waiting for messages and unpacking
};
using TrafficByKind = std::array<Traffic, num_traffic_kinds>;

}  // namespace wavegrid
