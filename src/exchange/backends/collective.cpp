#include <algorithm>

#include <wavegrid/exchange/backends/collective.hpp>

namespace wavegrid {

namespace {

/// The longest message of all ranks. Collective.
Index longest_message(const BackendSetup& setup) {
  Index longest = 0;
  for (const MessageList* messages : {&setup.send, &setup.receive})
    for (const Index n : messages->elements) longest = std::max(longest, n);
  return setup.comm.max(longest);
}

}  // namespace

AlltoallvBackend::AlltoallvBackend(BackendSetup setup)
    : BufferedBackend(std::move(setup)),
      send_(static_cast<std::size_t>(setup_.comm.size())),
      receive_(static_cast<std::size_t>(setup_.comm.size())) {}

void AlltoallvBackend::bind() {
  send_.fill(setup_.send, setup_.send.partners, unit_);
  receive_.fill(setup_.receive, setup_.receive.partners, unit_);
}

void AlltoallvBackend::start() {
  const MPI_Datatype type = MessageType(unit_).type;
  MPI_Ialltoallv(to_send_, send_.length.data(), send_.offset.data(), type, received_, receive_.length.data(),
                 receive_.offset.data(), type, setup_.comm.handle(), request_.receive_handle());
}

PaddedBackend::PaddedBackend(BackendSetup setup) : PaddedBackend(std::move(setup), longest_message(setup)) {}

PaddedBackend::PaddedBackend(BackendSetup&& setup, Index longest)
    : BufferedBackend(std::move(setup), setup.comm.size() * longest, setup.comm.size() * longest), longest_(longest) {}

void PaddedBackend::bind() {
  std::fill_n(to_send_, setup_.comm.size() * longest_ * unit_, std::byte{0});  // the padding is sent too
}

void PaddedBackend::start() {
  const MessageType type(unit_);
  const int count = type.count(longest_, unit_);
  MPI_Ialltoall(to_send_, count, type.type, received_, count, type.type, setup_.comm.handle(),
                request_.receive_handle());
}

}  // namespace wavegrid
