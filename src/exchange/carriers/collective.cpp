#include "exchange/carriers/collective.hpp"

#include <algorithm>

namespace wavegrid {

namespace {

bool done(MPI_Request& request) {
  int flag = 0;
  MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  return flag != 0;
}

}  // namespace

AlltoallvCarrier::AlltoallvCarrier(CarrierParts parts)
    : BoxedCarrier(std::move(parts)),
      send_(static_cast<std::size_t>(parts_.comm.size())),
      receive_(static_cast<std::size_t>(parts_.comm.size())) {}

void AlltoallvCarrier::open(Index unit) {
  if (unit == unit_) return;
  unit_ = unit;
  send_.fill(parts_.out, parts_.out.partners, unit_);
  receive_.fill(parts_.in, parts_.in.partners, unit_);
}

void AlltoallvCarrier::start() {
  const WireType wire(unit_);
  MPI_Ialltoallv(out_.data(), send_.length.data(), send_.offset.data(), wire.type, in_.data(), receive_.length.data(),
                 receive_.offset.data(), wire.type, parts_.comm.handle(), &request_);
}

bool AlltoallvCarrier::test() { return done(request_); }
void AlltoallvCarrier::wait() { MPI_Wait(&request_, MPI_STATUS_IGNORE); }

PaddedCarrier::PaddedCarrier(CarrierParts parts) : parts_(std::move(parts)) {
  for (const Mail* mail : {&parts_.out, &parts_.in})
    for (const Index n : mail->elements) longest_ = std::max(longest_, n);
  longest_ = parts_.comm.max(longest_);
  const auto bytes = static_cast<std::size_t>(parts_.comm.size() * longest_ * parts_.capacity);
  out_.assign(bytes, std::byte{0});  // the padding travels: it should not be somebody's old memory
  in_.resize(bytes);
}

void PaddedCarrier::start() {
  const WireType wire(unit_);
  const int count = wire.count(longest_, unit_);
  MPI_Ialltoall(out_.data(), count, wire.type, in_.data(), count, wire.type, parts_.comm.handle(), &request_);
}

bool PaddedCarrier::test() { return done(request_); }
void PaddedCarrier::wait() { MPI_Wait(&request_, MPI_STATUS_IGNORE); }

}  // namespace wavegrid
