#include "exchange/carriers/pairwise.hpp"

#include <algorithm>
#include <numeric>

namespace wavegrid {

namespace {

bool all_done(std::vector<MPI_Request>& requests, std::size_t count) {
  int flag = 1;
  MPI_Testall(static_cast<int>(count), requests.data(), &flag, MPI_STATUSES_IGNORE);
  return flag != 0;
}

}  // namespace

PairwiseCarrier::PairwiseCarrier(CarrierParts parts, Schedule schedule)
    : BoxedCarrier(std::move(parts)), schedule_(schedule), order_(parts_.out.size()) {
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  const auto distance = [this](std::size_t i) {
    return (parts_.out.partners[i] - parts_.comm.rank() + parts_.comm.size()) % parts_.comm.size();
  };
  std::sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) { return distance(a) < distance(b); });
}

PairwiseCarrier::~PairwiseCarrier() { free_requests(); }

void PairwiseCarrier::free_requests() {
  for (auto* requests : {&receives_, &sends_}) {
    for (MPI_Request& request : *requests) MPI_Request_free(&request);
    requests->clear();
  }
}

void PairwiseCarrier::open(Index unit) {
  if (unit == unit_) return;
  unit_ = unit;
  free_requests();
  const WireType wire(unit_);
  for (std::size_t i = 0; i < parts_.in.size(); ++i)
    MPI_Recv_init(in_.data() + parts_.in.offsets[i] * unit_, wire.count(parts_.in.elements[i], unit_), wire.type,
                  parts_.in.partners[i], parts_.tag, parts_.comm.handle(), &receives_.emplace_back());
  for (const std::size_t i : order_)
    MPI_Send_init(outbox(i), wire.count(parts_.out.elements[i], unit_), wire.type, parts_.out.partners[i], parts_.tag,
                  parts_.comm.handle(), &sends_.emplace_back());
}

void PairwiseCarrier::start_sends(std::size_t until) {
  until = std::min(until, sends_.size());
  if (until > started_) MPI_Startall(static_cast<int>(until - started_), sends_.data() + started_);
  started_ = std::max(started_, until);
}

void PairwiseCarrier::start() {
  if (!receives_.empty()) MPI_Startall(static_cast<int>(receives_.size()), receives_.data());
  started_ = 0;
  start_sends(schedule_ == Schedule::ring ? window : sends_.size());
}

bool PairwiseCarrier::test() {
  if (!all_done(sends_, started_)) return false;
  if (started_ < sends_.size()) {
    start_sends(started_ + window);
    return false;
  }
  return all_done(receives_, receives_.size());
}

void PairwiseCarrier::wait() {
  while (true) {
    MPI_Waitall(static_cast<int>(started_), sends_.data(), MPI_STATUSES_IGNORE);
    if (started_ == sends_.size()) break;
    start_sends(started_ + window);
  }
  MPI_Waitall(static_cast<int>(receives_.size()), receives_.data(), MPI_STATUSES_IGNORE);
}

}  // namespace wavegrid
