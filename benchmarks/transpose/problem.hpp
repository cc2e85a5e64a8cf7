// What is measured: a basis, its partition over the ranks, and how many bands make a block.
#pragma once

#include <vector>

#include <wavegrid/costmodel/choose_partition.hpp>
#include <wavegrid/fft/sphere_fft.hpp>
#include <wavegrid/mpi/process_grid.hpp>

#include "common/waves.hpp"
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
