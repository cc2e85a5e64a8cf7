// Halo exchange and Laplacian of a block of states, with and without overlap.
#pragma once

#include <wavegrid/mesh/mesh_operator.hpp>

#include "common/statistics.hpp"

namespace wavegrid::bench {

/// Seconds per application of potential and Laplacian to a block, of the slowest rank: medians.
struct OverlapTimes {
  double computing = 0;   ///< without any exchange
  double halo = 0;        ///< the exchange alone
  double off = 0;         ///< exchange, then all points
  double polling = 0;     ///< inner points meanwhile
  double thread = 0;      ///< the same, with a thread that does nothing but make progress
  double one_by_one = 0;  ///< the original: three steps for each state
  double hidden = 0;      ///< share of the exchange that polling hides, mean over ranks
};
[[nodiscard]] OverlapTimes measure_overlap(const Mesh& mesh, Transport transport, Index width, int repeats);

}  // namespace wavegrid::bench
