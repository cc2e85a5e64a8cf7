#include "exchange/backends/pairwise.hpp"

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

PairwiseBackend::PairwiseBackend(BackendSetup setup, Schedule schedule)
    : BufferedBackend(std::move(setup)), schedule_(schedule), order_(setup_.send.size()) {
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  const auto distance = [this](std::size_t i) {
    return (setup_.send.partners[i] - setup_.comm.rank() + setup_.comm.size()) % setup_.comm.size();
  };
  std::sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) { return distance(a) < distance(b); });
}

PairwiseBackend::~PairwiseBackend() { free_requests(); }

void PairwiseBackend::free_requests() {
  for (auto* requests : {&receives_, &sends_}) {
    for (MPI_Request& request : *requests) MPI_Request_free(&request);
    requests->clear();
  }
}

void PairwiseBackend::open(Index unit) {
  if (unit == unit_) return;
  unit_ = unit;
  free_requests();
  const TransferType wire(unit_);
  for (std::size_t i = 0; i < setup_.receive.size(); ++i)
    MPI_Recv_init(receive_buffer_.data() + setup_.receive.offsets[i] * unit_,
                  wire.count(setup_.receive.elements[i], unit_), wire.type, setup_.receive.partners[i], setup_.tag,
                  setup_.comm.handle(), &receives_.emplace_back());
  for (const std::size_t i : order_)
    MPI_Send_init(send_buffer(i), wire.count(setup_.send.elements[i], unit_), wire.type, setup_.send.partners[i],
                  setup_.tag, setup_.comm.handle(), &sends_.emplace_back());
}

void PairwiseBackend::start_sends(std::size_t until) {
  until = std::min(until, sends_.size());
  if (until > started_) MPI_Startall(static_cast<int>(until - started_), sends_.data() + started_);
  started_ = std::max(started_, until);
}

void PairwiseBackend::start() {
  if (!receives_.empty()) MPI_Startall(static_cast<int>(receives_.size()), receives_.data());
  started_ = 0;
  start_sends(schedule_ == Schedule::ring ? window : sends_.size());
}

bool PairwiseBackend::test() {
  if (!all_done(sends_, started_)) return false;
  if (started_ < sends_.size()) {
    start_sends(started_ + window);
    return false;
  }
  return all_done(receives_, receives_.size());
}

void PairwiseBackend::wait() {
  while (true) {
    MPI_Waitall(static_cast<int>(started_), sends_.data(), MPI_STATUSES_IGNORE);
    if (started_ == sends_.size()) break;
    start_sends(started_ + window);
  }
  MPI_Waitall(static_cast<int>(receives_.size()), receives_.data(), MPI_STATUSES_IGNORE);
}

}  // namespace wavegrid
