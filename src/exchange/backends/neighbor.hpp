// Neighbour collectives on the graph of real partners.
#pragma once

#include "exchange/backend.hpp"

namespace wavegrid {

/// MPI_Ineighbor_alltoallv on a distributed graph (Octopus's way); as a persistent request where MPI offers it.
class NeighborBackend : public BufferedBackend {
 public:
  explicit NeighborBackend(BackendSetup setup);
  ~NeighborBackend() override;
  void open(Index unit) override;
  void start() override;
  [[nodiscard]] bool test() override;
  void wait() override;

 private:
  MPI_Comm graph_ = MPI_COMM_NULL;
  CountArrays send_, receive_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

}  // namespace wavegrid
