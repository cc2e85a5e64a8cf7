// What is measured: a basis, its partition over the ranks, and how many bands make a block.
#pragma once

#include <vector>

#include "common/waves.hpp"
#include "costmodel/choose_partition.hpp"
#include "fft/sphere_fft.hpp"
#include "mpi/process_grid.hpp"
#include "options.hpp"

namespace wavegrid::bench {

/// The same on all ranks, but for what belongs to a rank.
struct Problem {
  GSphere sphere;
  PartitionChoice choice;
  ProcessGrid ranks;
  Index block;  ///< bands that are exchanged together where nothing overlaps

  /// Collective.
  Problem(const Comm& comm, const Options& options);
};

}  // namespace wavegrid::bench
