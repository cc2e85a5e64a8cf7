// Transports of published codes, to compare with: collectives during which nothing else can be done.
#pragma once

namespace wavegrid::bench {

/// Adds to the library's transports
///   alltoallv_blocking        MPI_Alltoallv (Gao et al. 2016)
///   alltoall_padded_blocking  MPI_Alltoall with messages padded to the longest (CP2K)
///   neighbor_blocking         MPI_Neighbor_alltoallv on the graph of the real partners (Octopus)
///   neighbor_persistent       the persistent one, where MPI has it: then the same as the library's `neighbor`
/// Once in a program, before the first plan.
void add_baseline_transports();

}  // namespace wavegrid::bench
