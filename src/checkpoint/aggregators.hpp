// Which ranks of a communicator read and write the file.
#pragma once

#include <wavegrid/base/index.hpp>
#include <wavegrid/mpi/comm.hpp>

namespace wavegrid {

/// The ranks that read or write for a communicator, and the number of this rank among them.
struct Aggregators {
  int count = 1;
  int mine = -1;  ///< 0 .. count - 1; -1: this rank is not an aggregator

  [[nodiscard]] bool active() const { return mine >= 0; }
  /// Whether this rank has item i of items that are distributed cyclically over the aggregators.
  [[nodiscard]] bool has(Index i) const { return i % count == mine; }
};

/// Aggregators of `comm`: `wanted`, or one for each node if that is 0; never more than ranks. They are spread over the
/// nodes as evenly as possible: numbered by their place on their node, then by rank, so that rank 0 is the first one.
/// No rank holds anything that grows with the number of ranks. Collective.
[[nodiscard]] Aggregators choose_aggregators(const Comm& comm, int wanted);

/// One rank alone.
[[nodiscard]] inline Aggregators only_root(const Comm& comm) { return {1, comm.rank() == 0 ? 0 : -1}; }

}  // namespace wavegrid
