#include <sched.h>

#include <limits>

#include <wavegrid/base/error.hpp>
#include <wavegrid/exchange/backend.hpp>
#include <wavegrid/exchange/backends/collective.hpp>
#include <wavegrid/exchange/backends/neighbor.hpp>
#include <wavegrid/exchange/backends/one_sided.hpp>
#include <wavegrid/exchange/backends/pairwise.hpp>
#include <wavegrid/exchange/backends/shared.hpp>
#include <wavegrid/mpi/request.hpp>

namespace wavegrid {

namespace {

/// The next larger multiple of a cache line, never 0: Open MPI treats send and receive buffers that begin at the same
/// address as an operation in place.
Index whole_lines(Index bytes) {
  constexpr Index cache_line = 64;
  return (bytes + cache_line) / cache_line * cache_line;
}

struct TagCounter {
  int next = first_free_tag;
};

}  // namespace

void yield_processor() { sched_yield(); }

int reserve_tags(const Comm& comm) {
  int found = 0;
  const int* largest = nullptr;
  MPI_Comm_get_attr(comm.handle(), MPI_TAG_UB, static_cast<void*>(&largest), &found);
  int& next = comm.attached<TagCounter>().next;
  if (next > (found ? *largest : std::numeric_limits<std::int16_t>::max()) - tags_per_backend) next = first_free_tag;
  next += tags_per_backend;
  return next - tags_per_backend;
}

std::vector<Index> remote_offsets(const Comm& comm, int tag, const MessageList& messages, const MessageList& exposed) {
  std::vector<Index> offsets(messages.size());
  RequestList requests;
  for (std::size_t i = 0; i < messages.size(); ++i)
    MPI_Irecv(&offsets[i], 1, MPI_INT64_T, messages.partners[i], tag, comm.handle(), requests.add());
  for (std::size_t i = 0; i < exposed.size(); ++i)
    MPI_Isend(&exposed.offsets[i], 1, MPI_INT64_T, exposed.partners[i], tag, comm.handle(), requests.add());
  requests.wait();
  return offsets;
}

void Backend::wait() {
  while (!test()) yield_processor();
}

BufferedBackend::BufferedBackend(BackendSetup&& setup, Index send, Index receive)
    : setup_(std::move(setup)),
      send_elements_(send),
      memory_(setup_.comm, whole_lines(send * setup_.capacity) + receive * setup_.capacity) {}

BufferedBackend::BufferedBackend(BackendSetup setup)
    : BufferedBackend(std::move(setup), setup.send.total, setup.receive.total) {}

void BufferedBackend::open(Index unit) {
  if (!memory_.take() && unit == unit_) return;
  unit_ = unit;
  to_send_ = memory_->data.data();
  received_ = to_send_ + whole_lines(send_elements_ * unit_);
  bind();
}

MessageType::MessageType(Index unit) {
  if (unit % 16 == 0)
    type = MPI_C_DOUBLE_COMPLEX, size = 16;
  else if (unit % 8 == 0)
    type = MPI_DOUBLE, size = 8;
  else if (unit % 4 == 0)
    type = MPI_FLOAT, size = 4;
}

int MessageType::count(Index elements, Index unit) const {
  const Index n = elements * (unit / size);
  if (n > std::numeric_limits<int>::max())
    throw internal_error("a message of " + std::to_string(n) + " values does not fit an MPI count");
  return static_cast<int>(n);
}

void CountArrays::fill(const MessageList& messages, const std::vector<int>& positions, Index unit) {
  const MessageType wire(unit);
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const auto position = static_cast<std::size_t>(positions[i]);
    length[position] = wire.count(messages.elements[i], unit);
    offset[position] = wire.count(messages.offsets[i], unit);
  }
}

std::unique_ptr<Backend> make_backend(Transport transport, BackendSetup setup) {
  if (const BackendFactory make = added_backend(transport)) return make(std::move(setup));
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
