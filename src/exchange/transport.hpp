// The names of the ways in which messages travel.
#pragma once

#include <span>
#include <string>

namespace wavegrid {

/// How messages travel. All transports deliver the same bits.
enum class Transport {
  alltoallv,        ///< MPI_Ialltoallv on the plan's communicator (Gao et al. 2016)
  alltoall_padded,  ///< MPI_Ialltoall with messages padded to the longest (CP2K)
  neighbor,         ///< neighbour alltoallv on a graph of the real partners, persistent where MPI has it (Octopus)
  pairwise,         ///< Isend / Irecv to the real partners only, all at once
  ring,             ///< the same by rising distance of ranks, a few under way at a time
  one_sided,        ///< MPI_Put into the partner's window, one lock_all for the plan's life (ONETEP)
  one_sided_get,    ///< the same with MPI_Get from the partner's window
  shared,           ///< read straight from the partner's memory inside a node, pairwise between nodes
};

/// All transports, in the order of the enumeration.
[[nodiscard]] std::span<const Transport> all_transports();
/// The name used in input and output, such as "alltoall_padded".
[[nodiscard]] const char* name_of(Transport transport);
/// The transport of that name; throws bad_input that lists the valid ones.
[[nodiscard]] Transport transport_named(const std::string& name);

}  // namespace wavegrid
