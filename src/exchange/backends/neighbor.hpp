// Neighbour collectives on the graph of real partners.
#pragma once

#include <wavegrid/exchange/backend.hpp>
#include <wavegrid/mpi/request.hpp>

namespace wavegrid {

/// True if MPI has persistent neighbour collectives: since MPI 4, and in Open MPI 4 as an extension.
[[nodiscard]] bool has_persistent_neighbor();

/// A communicator with the graph of partners as its topology.
class NeighborGraph {
 public:
  /// Collective over `comm`, as its destruction is.
  NeighborGraph(const Comm& comm, std::vector<int> from, std::vector<int> to);
  NeighborGraph(const NeighborGraph&) = delete;
  NeighborGraph& operator=(const NeighborGraph&) = delete;
  ~NeighborGraph();

  /// The graph of `comm` with these partners, shared by all plans with the same partners. Collective.
  [[nodiscard]] static std::shared_ptr<const NeighborGraph> of(const Comm& comm, const std::vector<int>& from,
                                                               const std::vector<int>& to);
  [[nodiscard]] MPI_Comm handle() const { return handle_; }

 private:
  std::vector<int> from_, to_;
  MPI_Comm handle_ = MPI_COMM_NULL;
};

/// MPI_Neighbor_alltoallv on a distributed graph (as Octopus does): persistent if MPI has that, else nonblocking.
class NeighborBackend : public BufferedBackend {
 public:
  explicit NeighborBackend(BackendSetup setup);
  void start() override;
  [[nodiscard]] bool test() override { return request_.test(); }
  void wait() override { request_.wait(); }

 protected:
  /// Sets send_ and receive_.
  void fill_counts();

  std::shared_ptr<const NeighborGraph> graph_;
  CountArrays send_, receive_;

 private:
  void bind() override;

  Request request_;
};

}  // namespace wavegrid
