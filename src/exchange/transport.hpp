// The names of the transports: how messages are sent.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

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
};

/// The transports above, in the order of the enumeration.
[[nodiscard]] std::span<const Transport> library_transports();
/// These and the ones that the program has added.
[[nodiscard]] std::vector<Transport> all_transports();

class Backend;
struct BackendSetup;
/// Makes the backend of a transport (exchange/backend.hpp). Collective over the communicator of the setup.
using BackendFactory = std::unique_ptr<Backend> (*)(BackendSetup setup);

/// Adds a transport of the program's own, for comparisons; plans and transport_named() then know it, `auto` does not
/// try it. All ranks add the same ones in the same order, before the first plan and outside of threads. Throws
/// bad_input if the name is taken.
Transport add_transport(const std::string& name, BackendFactory make);
/// Null for a transport of the library.
[[nodiscard]] BackendFactory added_backend(Transport transport);

/// The name used in input and output, such as "alltoall_padded".
[[nodiscard]] const char* to_string(Transport transport);
/// The transport of that name; throws bad_input that lists the valid ones.
[[nodiscard]] Transport transport_named(const std::string& name);

}  // namespace wavegrid
