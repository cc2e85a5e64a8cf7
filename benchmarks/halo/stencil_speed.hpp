// Time of the Laplacian on a block of states, compared with the bandwidth of memory.
#pragma once

#include <wavegrid/mesh/mesh_operator.hpp>

#include "common/statistics.hpp"

namespace wavegrid::bench {

/// One measurement of all ranks together.
struct StencilSpeed {
  double seconds = 0;        ///< per application, median
  double triad_seconds = 0;  ///< of a = b + s c on arrays as long, median
  Index values = 0;          ///< numbers of all ranks

  /// The least time that the bandwidth of the triad allows: an application reads one array and writes another, which
  /// moves 24 bytes per number, because a write reads first; the triad moves 32.
  [[nodiscard]] double bound() const { return 0.75 * triad_seconds; }
};

/// Measures out = V in - Laplacian(in)/2, local work only (ghost points are filled once), and between these samples a
/// triad a = b + s c on arrays as long. Collective.
[[nodiscard]] StencilSpeed measure_stencil(const Mesh& mesh, Index width, int repeats);

}  // namespace wavegrid::bench
