#include "exchange/backend.hpp"

#include <sched.h>

#include <limits>

#include "base/error.hpp"
#include "exchange/backends/collective.hpp"
#include "exchange/backends/neighbor.hpp"
#include "exchange/backends/one_sided.hpp"
#include "exchange/backends/pairwise.hpp"
#include "exchange/backends/shared.hpp"

namespace wavegrid {

void yield_processor() { sched_yield(); }

void Backend::wait() {
  while (!test()) yield_processor();
}

BufferedBackend::BufferedBackend(BackendSetup setup) : setup_(std::move(setup)) {
  send_buffer_.resize(static_cast<std::size_t>(setup_.send.total * setup_.capacity));
  receive_buffer_.resize(static_cast<std::size_t>(setup_.receive.total * setup_.capacity));
}

TransferType::TransferType(Index unit) {
  if (unit % 16 == 0)
    type = MPI_C_DOUBLE_COMPLEX, size = 16;
  else if (unit % 8 == 0)
    type = MPI_DOUBLE, size = 8;
  else if (unit % 4 == 0)
    type = MPI_FLOAT, size = 4;
}

int TransferType::count(Index elements, Index unit) const {
  const Index n = elements * (unit / size);
  if (n > std::numeric_limits<int>::max())
    throw internal_error("a message of " + std::to_string(n) + " values does not fit an MPI count");
  return static_cast<int>(n);
}

void CountArrays::fill(const MessageList& messages, const std::vector<int>& places, Index unit) {
  const TransferType wire(unit);
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const auto location = static_cast<std::size_t>(places[i]);
    length[location] = wire.count(messages.elements[i], unit);
    offset[location] = wire.count(messages.offsets[i], unit);
  }
}

std::unique_ptr<Backend> make_backend(Transport transport, BackendSetup setup) {
  switch (transport) {
    case Transport::alltoallv:
      return std::make_unique<AlltoallvBackend>(std::move(setup));
    case Transport::alltoall_padded:
      return std::make_unique<PaddedBackend>(std::move(setup));
    case Transport::neighbor:
      return std::make_unique<NeighborBackend>(std::move(setup));
    case Transport::pairwise:
      return std::make_unique<PairwiseBackend>(std::move(setup), PairwiseBackend::Schedule::at_once);
    case Transport::ring:
      return std::make_unique<PairwiseBackend>(std::move(setup), PairwiseBackend::Schedule::ring);
    case Transport::one_sided:
      return std::make_unique<PutBackend>(std::move(setup));
    case Transport::one_sided_get:
      return std::make_unique<GetBackend>(std::move(setup));
    case Transport::shared:
      return std::make_unique<SharedBackend>(std::move(setup));
  }
  throw internal_error("unknown transport");
}

}  // namespace wavegrid
