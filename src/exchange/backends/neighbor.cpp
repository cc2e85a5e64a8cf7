#include <algorithm>
#include <numeric>

#include <wavegrid/exchange/backends/neighbor.hpp>
#include <wavegrid/mpi/environment.hpp>

#if defined(OPEN_MPI) && MPI_VERSION < 4
#include <mpi-ext.h>
#endif

namespace wavegrid {

namespace {

#if MPI_VERSION >= 4
#define WAVEGRID_NEIGHBOR_INIT MPI_Neighbor_alltoallv_init
#elif defined(OMPI_HAVE_MPI_EXT_PCOLLREQ)
#define WAVEGRID_NEIGHBOR_INIT MPIX_Neighbor_alltoallv_init
#endif

/// The graphs of a communicator that are in use.
struct Graphs {
  std::vector<std::weak_ptr<const NeighborGraph>> list;
};

/// Every rank is its own neighbour too, with an empty message: some MPI versions fail on ranks without neighbours
/// (Open MPI issue 14452).
std::vector<int> with_self(std::vector<int> partners, int rank) {
  partners.push_back(rank);
  return partners;
}

/// Neighbours are numbered as the messages are; this rank comes last.
std::vector<int> in_order(const MessageList& messages) {
  std::vector<int> positions(messages.size());
  std::iota(positions.begin(), positions.end(), 0);
  return positions;
}

}  // namespace

bool has_persistent_neighbor() {
#ifdef WAVEGRID_NEIGHBOR_INIT
  return true;
#else
  return false;
#endif
}

NeighborGraph::NeighborGraph(const Comm& comm, std::vector<int> from, std::vector<int> to)
    : from_(std::move(from)), to_(std::move(to)) {
  const std::vector<int> sources = with_self(from_, comm.rank()), targets = with_self(to_, comm.rank());
  MPI_Dist_graph_create_adjacent(comm.handle(), static_cast<int>(sources.size()), sources.data(), MPI_UNWEIGHTED,
                                 static_cast<int>(targets.size()), targets.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                 &handle_);
}

NeighborGraph::~NeighborGraph() {
  if (mpi_is_running()) MPI_Comm_free(&handle_);
}

std::shared_ptr<const NeighborGraph> NeighborGraph::of(const Comm& comm, const std::vector<int>& from,
                                                       const std::vector<int>& to) {
  auto& graphs = comm.attached<Graphs>().list;
  std::erase_if(graphs, [](const auto& graph) { return graph.expired(); });
  std::vector<int> is_same;
  for (const auto& kept : graphs) {
    const auto graph = kept.lock();
    is_same.push_back(graph->from_ == from && graph->to_ == to ? 1 : 0);
  }
  comm.min(std::span<int>(is_same));  // a graph can be used only if it contains the partners of every rank
  const auto found = std::find(is_same.begin(), is_same.end(), 1);
  if (found != is_same.end()) return graphs[static_cast<std::size_t>(found - is_same.begin())].lock();
  auto graph = std::make_shared<const NeighborGraph>(comm, from, to);
  graphs.push_back(graph);
  return graph;
}

NeighborBackend::NeighborBackend(BackendSetup setup)
    : BufferedBackend(std::move(setup)),
      graph_(NeighborGraph::of(setup_.comm, setup_.receive.partners, setup_.send.partners)),
      send_(setup_.send.size() + 1),
      receive_(setup_.receive.size() + 1) {}

void NeighborBackend::fill_counts() {
  send_.fill(setup_.send, in_order(setup_.send), unit_);
  receive_.fill(setup_.receive, in_order(setup_.receive), unit_);
}

void NeighborBackend::bind() {
  fill_counts();
#ifdef WAVEGRID_NEIGHBOR_INIT
  const MPI_Datatype type = MessageType(unit_).type;
  WAVEGRID_NEIGHBOR_INIT(to_send_, send_.length.data(), send_.offset.data(), type, received_, receive_.length.data(),
                         receive_.offset.data(), type, graph_->handle(), MPI_INFO_NULL, request_.receive_handle());
#endif
}

void NeighborBackend::start() {
#ifdef WAVEGRID_NEIGHBOR_INIT
  request_.start();
#else
  const MPI_Datatype type = MessageType(unit_).type;
  MPI_Ineighbor_alltoallv(to_send_, send_.length.data(), send_.offset.data(), type, received_, receive_.length.data(),
                          receive_.offset.data(), type, graph_->handle(), request_.receive_handle());
#endif
}

}  // namespace wavegrid
