// The transports: dense packed messages in, dense packed messages out. One function each, no state.
#pragma once

#include <vector>

#include "mpi/comm.hpp"

namespace wavegrid {

/// A dense piece of a packed buffer that goes to, or comes from, one partner.
struct Message {
  int partner = 0;
  Index offset = 0;
  Index length = 0;  ///< elements
};

/// One MPI_Alltoallv; offsets and lengths must fit an int. Collective.
template <class T>
void run_alltoallv(const Comm& comm, const T* packed, const std::vector<Message>& out, T* arrived,
                   const std::vector<Message>& in);

/// Isend / Irecv with the partners named, long messages in tiles; ranks without messages need not take part.
template <class T>
void run_pairwise(const Comm& comm, const T* packed, const std::vector<Message>& out, T* arrived,
                  const std::vector<Message>& in);

}  // namespace wavegrid
