// The names of the transports: how messages are sent.
#pragma once

#include <span>
#include <string>

namespace wavegrid {

/// How messages are sent. All transports deliver the same bits.
enum class Transport {
  alltoallv,        ///< MPI_Ialltoallv on the plan's communicator (Gao et al. 2016)
  alltoall_padded,  ///< MPI_Ialltoall with messages padded to the longest (CP2K)
  neighbor,         ///< neighbour alltoallv on a graph of the real partners, persistent if MPI has it (Octopus)
  pairwise,         ///< Isend / Irecv to the real partners only, all at once
  ring,             ///< the same by rising distance of ranks, a few in progress at a time
  one_sided,        ///< MPI_Rput into the partner's window, one lock_all for the window's life (ONETEP)
  one_sided_get,    ///< the same with MPI_Rget from the partner's window
  shared,           ///< read directly from the partner's memory inside a node, pairwise between nodes
  // Baselines of published codes, for comparison: `auto` does not try them.
  alltoallv_blocking,        ///< MPI_Alltoallv: nothing overlaps
  alltoall_padded_blocking,  ///< MPI_Alltoall
  neighbor_blocking,         ///< MPI_Neighbor_alltoallv
  neighbor_persistent,       ///< the persistent neighbour collective, an error if MPI has none
};

/// The transports of calculations: all but the baselines, in the order of the enumeration; every MPI has them.
[[nodiscard]] std::span<const Transport> calculation_transports();
/// The transports that this MPI has, baselines included, in the order of the enumeration.
[[nodiscard]] std::span<const Transport> all_transports();
[[nodiscard]] bool is_available(Transport transport);
/// Throws environment_error, which names the transport and the MPI library, if is_available() is false.
void require_available(Transport transport);
/// The name used in input and output, such as "alltoall_padded".
[[nodiscard]] const char* name_of(Transport transport);
/// The transport of that name; throws bad_input that lists the valid ones.
[[nodiscard]] Transport transport_named(const std::string& name);

}  // namespace wavegrid
