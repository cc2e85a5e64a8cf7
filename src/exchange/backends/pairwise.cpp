#include <algorithm>
#include <numeric>
#include <tuple>

#include <wavegrid/exchange/backends/pairwise.hpp>
#include <wavegrid/mpi/node.hpp>

namespace wavegrid {

PairwiseBackend::PairwiseBackend(BackendSetup setup, Schedule schedule)
    : BufferedBackend(std::move(setup)), schedule_(schedule), order_(setup_.send.size()), is_far_(setup_.send.size()) {
  if (schedule_ == Schedule::at_once) {
    const std::vector<int> on_node = ranks_on_node(setup_.comm, setup_.send.partners);
    for (std::size_t i = 0; i < on_node.size(); ++i) is_far_[i] = on_node[i] == not_on_node;
    num_far_ = static_cast<std::size_t>(std::count(is_far_.begin(), is_far_.end(), true));
  }
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  const auto key = [&](std::size_t i) {
    const int ranks = setup_.comm.size(), distance = (setup_.send.partners[i] - setup_.comm.rank() + ranks) % ranks;
    return std::tuple(!is_far_[i], distance);
  };
  std::sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
}

void PairwiseBackend::bind() {
  receives_.clear();
  sends_.clear();
  const MessageType type(unit_);
  for (std::size_t i = 0; i < setup_.receive.size(); ++i)
    MPI_Recv_init(received_ + setup_.receive.offsets[i] * unit_, type.count(setup_.receive.elements[i], unit_),
                  type.type, setup_.receive.partners[i], setup_.tag, setup_.comm.handle(), receives_.add());
  for (const std::size_t i : order_)
    MPI_Send_init(send_buffer(i), type.count(setup_.send.elements[i], unit_), type.type, setup_.send.partners[i],
                  setup_.tag, setup_.comm.handle(), sends_.add());
}

void PairwiseBackend::start_sends(std::size_t until) {
  until = std::min(until, sends_.size());
  sends_.start(started_, until);
  started_ = std::max(started_, until);
}

void PairwiseBackend::open(Index unit) {
  BufferedBackend::open(unit);
  started_ = 0;
  receives_.start();
}

void PairwiseBackend::start() { start_sends(schedule_ == Schedule::ring ? window : sends_.size()); }

bool PairwiseBackend::test() {
  if (!sends_.test(started_)) return false;
  if (started_ < sends_.size()) {
    start_sends(started_ + window);
    return false;
  }
  return receives_.test();
}

void PairwiseBackend::wait() {
  while (true) {
    sends_.wait(started_);
    if (started_ == sends_.size()) break;
    start_sends(started_ + window);
  }
  receives_.wait();
}

}  // namespace wavegrid
