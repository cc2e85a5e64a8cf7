// Which ranks of a communicator read and write the file.
#pragma once

#include <span>
#include <vector>

#include "base/index.hpp"
#include "mpi/comm.hpp"

namespace wavegrid {

/// The ranks that read or write for a communicator, and which of them this rank is.
struct Aggregators {
  int count = 1;
  int mine = -1;  ///< 0 .. count - 1; -1: this rank is no aggregator

  [[nodiscard]] bool active() const { return mine >= 0; }
  /// Of items that are distributed cyclically, whether this rank has item i.
  [[nodiscard]] bool has(Index i) const { return i % count == mine; }
};

/// `count` different ranks out of those whose node is node_of_rank[rank], spread over nodes as evenly as can be; the
/// first is rank 0. Pure.
[[nodiscard]] std::vector<int> spread_over_nodes(std::span<const int> node_of_rank, int count);

/// Aggregators of `comm`: `wanted`, or where that is 0 one for each node; never more than ranks. Collective.
[[nodiscard]] Aggregators choose_aggregators(const Comm& comm, int wanted);

/// One rank alone.
[[nodiscard]] inline Aggregators only_root(const Comm& comm) { return {1, comm.rank() == 0 ? 0 : -1}; }

}  // namespace wavegrid
