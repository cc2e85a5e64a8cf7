#include "exchange/backends/neighbor.hpp"

#include <numeric>

#if defined(OPEN_MPI) && MPI_VERSION < 4
#include <mpi-ext.h>
#endif

namespace wavegrid {

namespace {

// Persistent neighbour collectives are MPI 4; Open MPI 4 has them as an extension.
#if MPI_VERSION >= 4
#define WAVEGRID_NEIGHBOR_INIT MPI_Neighbor_alltoallv_init
#elif defined(OMPI_HAVE_MPI_EXT_PCOLLREQ)
#define WAVEGRID_NEIGHBOR_INIT MPIX_Neighbor_alltoallv_init
#endif

/// Every rank is its own neighbour too, with an empty message: some MPI versions fail on ranks without neighbours
/// (Open MPI issue 14452).
std::vector<int> with_self(std::vector<int> partners, int rank) {
  partners.push_back(rank);
  return partners;
}

/// Neighbours are numbered as the messages are; this rank comes last.
std::vector<int> in_order(const MessageList& messages) {
  std::vector<int> places(messages.size());
  std::iota(places.begin(), places.end(), 0);
  return places;
}

}  // namespace

NeighborBackend::NeighborBackend(BackendSetup setup)
    : BufferedBackend(std::move(setup)), send_(setup_.send.size() + 1), receive_(setup_.receive.size() + 1) {
  const std::vector<int> from = with_self(setup_.receive.partners, setup_.comm.rank());
  const std::vector<int> to = with_self(setup_.send.partners, setup_.comm.rank());
  MPI_Dist_graph_create_adjacent(setup_.comm.handle(), static_cast<int>(from.size()), from.data(), MPI_UNWEIGHTED,
                                 static_cast<int>(to.size()), to.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph_);
}

NeighborBackend::~NeighborBackend() {
  if (request_ != MPI_REQUEST_NULL) MPI_Request_free(&request_);
  MPI_Comm_free(&graph_);
}

void NeighborBackend::open(Index unit) {
  if (unit == unit_) return;
  unit_ = unit;
  send_.fill(setup_.send, in_order(setup_.send), unit_);
  receive_.fill(setup_.receive, in_order(setup_.receive), unit_);
#ifdef WAVEGRID_NEIGHBOR_INIT
  if (request_ != MPI_REQUEST_NULL) MPI_Request_free(&request_);
  const TransferType wire(unit_);
  WAVEGRID_NEIGHBOR_INIT(send_buffer_.data(), send_.length.data(), send_.offset.data(), wire.type,
                         receive_buffer_.data(), receive_.length.data(), receive_.offset.data(), wire.type, graph_,
                         MPI_INFO_NULL, &request_);
#endif
}

void NeighborBackend::start() {
#ifdef WAVEGRID_NEIGHBOR_INIT
  MPI_Start(&request_);
#else
  const TransferType wire(unit_);
  MPI_Ineighbor_alltoallv(send_buffer_.data(), send_.length.data(), send_.offset.data(), wire.type,
                          receive_buffer_.data(), receive_.length.data(), receive_.offset.data(), wire.type, graph_,
                          &request_);
#endif
}

bool NeighborBackend::test() {
  int flag = 0;
  MPI_Test(&request_, &flag, MPI_STATUS_IGNORE);
  return flag != 0;
}

void NeighborBackend::wait() { MPI_Wait(&request_, MPI_STATUS_IGNORE); }

}  // namespace wavegrid
