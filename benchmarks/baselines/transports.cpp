#include "baselines/transports.hpp"

#include <wavegrid/exchange/backends/collective.hpp>
#include <wavegrid/exchange/backends/neighbor.hpp>

namespace wavegrid::bench {

namespace {

class BlockingAlltoallv : public AlltoallvBackend {
 public:
  using AlltoallvBackend::AlltoallvBackend;
  void start() override {
    const MPI_Datatype type = MessageType(unit_).type;
    MPI_Alltoallv(to_send_, send_.length.data(), send_.offset.data(), type, received_, receive_.length.data(),
                  receive_.offset.data(), type, setup_.comm.handle());
  }
};

class BlockingPadded : public PaddedBackend {
 public:
  using PaddedBackend::PaddedBackend;
  void start() override {
    const MessageType type(unit_);
    const int count = type.count(longest_, unit_);
    MPI_Alltoall(to_send_, count, type.type, received_, count, type.type, setup_.comm.handle());
  }
};

class BlockingNeighbor : public NeighborBackend {
 public:
  using NeighborBackend::NeighborBackend;
  void start() override {
    const MPI_Datatype type = MessageType(unit_).type;
    MPI_Neighbor_alltoallv(to_send_, send_.length.data(), send_.offset.data(), type, received_, receive_.length.data(),
                           receive_.offset.data(), type, graph_->handle());
  }

 private:
  void bind() override { fill_counts(); }
};

template <class Made>
std::unique_ptr<Backend> make(BackendSetup setup) {
  return std::make_unique<Made>(std::move(setup));
}

}  // namespace

void add_baseline_transports() {
  add_transport("alltoallv_blocking", make<BlockingAlltoallv>);
  add_transport("alltoall_padded_blocking", make<BlockingPadded>);
  add_transport("neighbor_blocking", make<BlockingNeighbor>);
  if (has_persistent_neighbor()) add_transport("neighbor_persistent", make<NeighborBackend>);
}

}  // namespace wavegrid::bench
