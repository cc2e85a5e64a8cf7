// Which ranks of a communicator read and write the file.
#pragma once

#include <span>
#include <vector>

#include "base/index.hpp"
#include "mpi/comm.hpp"

namespace wavegrid {

/// The ranks that read or write for a communicator, and the number of this rank among them.
struct Aggregators {
  int count = 1;
  int mine = -1;  ///< 0 .. count - 1; -1: this rank is not an aggregator

  [[nodiscard]] bool active() const { return mine >= 0; }
  /// Whether this rank has item i of items that are distributed cyclically over the aggregators.
  [[nodiscard]] bool has(Index i) const { return i % count == mine; }
};

/// `count` different ranks, or all if there are fewer, spread over the nodes as evenly as possible; node_of_rank[r] is
/// the node of rank r. The first one is rank 0. Pure.
[[nodiscard]] std::vector<int> spread_over_nodes(std::span<const int> node_of_rank, int count);

/// Aggregators of `comm`: `wanted`, or one for each node if that is 0; never more than ranks. Collective.
[[nodiscard]] Aggregators choose_aggregators(const Comm& comm, int wanted);

/// One rank alone.
[[nodiscard]] inline Aggregators only_root(const Comm& comm) { return {1, comm.rank() == 0 ? 0 : -1}; }

}  // namespace wavegrid
