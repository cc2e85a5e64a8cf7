// Which ranks share a node's memory.
#pragma once

#include <vector>

#include <wavegrid/mpi/comm.hpp>

namespace wavegrid {

/// The ranks of `comm` that share this rank's memory, in the order of `comm`; made once and kept with `comm`.
/// WAVEGRID_RANKS_PER_NODE=n in the environment divides a node into parts of n ranks, for tests of communication
/// between nodes. Collective.
[[nodiscard]] Comm node_comm(const Comm& comm);

/// True if the ranks of `comm` do not all share memory. Collective.
[[nodiscard]] bool spans_nodes(const Comm& comm);

/// The value that ranks_on_node() returns for a rank on another node.
inline constexpr int not_on_node = MPI_UNDEFINED;
/// The ranks in node_comm() of the given ranks of `comm`. Collective.
[[nodiscard]] std::vector<int> ranks_on_node(const Comm& comm, const std::vector<int>& ranks);

}  // namespace wavegrid
