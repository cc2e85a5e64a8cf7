#include "exchange/backends/collective.hpp"

#include <algorithm>

namespace wavegrid {

namespace {

bool done(MPI_Request& request) {
  int flag = 0;
  MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  return flag != 0;
}

}  // namespace

AlltoallvBackend::AlltoallvBackend(BackendSetup setup)
    : BufferedBackend(std::move(setup)),
      send_(static_cast<std::size_t>(setup_.comm.size())),
      receive_(static_cast<std::size_t>(setup_.comm.size())) {}

void AlltoallvBackend::open(Index unit) {
  if (unit == unit_) return;
  unit_ = unit;
  send_.fill(setup_.send, setup_.send.partners, unit_);
  receive_.fill(setup_.receive, setup_.receive.partners, unit_);
}

void AlltoallvBackend::start() {
  const TransferType wire(unit_);
  MPI_Ialltoallv(send_buffer_.data(), send_.length.data(), send_.offset.data(), wire.type, receive_buffer_.data(),
                 receive_.length.data(), receive_.offset.data(), wire.type, setup_.comm.handle(), &request_);
}

bool AlltoallvBackend::test() { return done(request_); }
void AlltoallvBackend::wait() { MPI_Wait(&request_, MPI_STATUS_IGNORE); }

PaddedBackend::PaddedBackend(BackendSetup setup) : setup_(std::move(setup)) {
  for (const MessageList* messages : {&setup_.send, &setup_.receive})
    for (const Index n : messages->elements) longest_ = std::max(longest_, n);
  longest_ = setup_.comm.max(longest_);
  const auto bytes = static_cast<std::size_t>(setup_.comm.size() * longest_ * setup_.capacity);
  send_buffer_.assign(bytes, std::byte{0});  // the padding travels: it should not be somebody's old memory
  receive_buffer_.resize(bytes);
}

void PaddedBackend::start() {
  const TransferType wire(unit_);
  const int count = wire.count(longest_, unit_);
  MPI_Ialltoall(send_buffer_.data(), count, wire.type, receive_buffer_.data(), count, wire.type, setup_.comm.handle(),
                &request_);
}

bool PaddedBackend::test() { return done(request_); }
void PaddedBackend::wait() { MPI_Wait(&request_, MPI_STATUS_IGNORE); }

}  // namespace wavegrid
