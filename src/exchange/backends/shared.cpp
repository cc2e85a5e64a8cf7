#include <algorithm>
#include <new>

#include <wavegrid/exchange/backends/pairwise.hpp>
#include <wavegrid/exchange/backends/shared.hpp>
#include <wavegrid/mpi/node.hpp>

namespace wavegrid {

namespace {

/// Elements of the messages that stay on the node. Collective.
Index elements_on_node(const BackendSetup& setup) {
  const std::vector<int> ranks = ranks_on_node(setup.comm, setup.send.partners);
  Index elements = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i)
    if (ranks[i] != not_on_node) elements += setup.send.elements[i];
  return elements;
}

}  // namespace

void NodeSegments::allocate(const Comm& node, Index bytes) {
  const auto ranks = static_cast<std::size_t>(node.size());
  window_ = Window::allocate_shared(node, static_cast<Index>((1 + ranks) * sizeof(Counter)) + bytes);
  my_rank_ = node.rank();
  for (int rank = 0; rank < node.size(); ++rank) counters_.push_back(reinterpret_cast<Counter*>(window_.data_of(rank)));
  for (std::size_t i = 0; i < 1 + ranks; ++i) new (counters(my_rank_) + i) Counter{{0}};
  node.barrier();  // the counters exist before any rank reads them
}

bool NodeSegments::have_been_read() const {
  return std::all_of(readers_.begin(), readers_.end(), [this](int reader) {
    return counters(my_rank_)[1 + reader].value.load(std::memory_order_acquire) >= exchange_;
  });
}

void NodeSegments::post(const std::vector<int>& readers) {
  readers_ = readers;
  counters(my_rank_)[0].value.store(++exchange_, std::memory_order_release);
}

bool NodeSegments::has_posted(int sender) const {
  return counters(sender)[0].value.load(std::memory_order_acquire) >= exchange_;
}

void NodeSegments::have_read(int sender) {
  counters(sender)[1 + my_rank_].value.store(exchange_, std::memory_order_release);
}

SharedBackend::SharedBackend(BackendSetup setup)
    : comm_(setup.comm), node_(node_comm(setup.comm)), segments_(node_, elements_on_node(setup) * setup.capacity) {
  split_by_node(setup);
  const std::vector<Index> offsets = remote_offsets(comm_, setup.tag, near_receive_, near_send_);
  for (std::size_t i = 0; i < senders_.size(); ++i) senders_[i].offset = offsets[i];
}

void SharedBackend::split_by_node(const BackendSetup& setup) {
  BackendSetup far{setup.comm, {}, {}, setup.capacity, setup.tag};
  const auto split = [&](const MessageList& messages, const std::vector<int>& on_node, MessageList& near_list,
                         MessageList& far_list) {
    std::vector<Location> locations;
    for (std::size_t i = 0; i < messages.size(); ++i) {
      MessageList& part = on_node[i] != not_on_node ? near_list : far_list;
      locations.push_back({on_node[i] != not_on_node, part.size()});
      part.append(messages.partners[i], messages.elements[i]);
    }
    return locations;
  };
  readers_ = ranks_on_node(comm_, setup.send.partners);
  send_locations_ = split(setup.send, readers_, near_send_, far.send);
  std::erase(readers_, not_on_node);
  const std::vector<int> senders = ranks_on_node(comm_, setup.receive.partners);
  receive_locations_ = split(setup.receive, senders, near_receive_, far.receive);
  for (const int rank : senders)
    if (rank != not_on_node) senders_.push_back({rank, 0});
  far_ = std::make_unique<PairwiseBackend>(std::move(far), PairwiseBackend::Schedule::at_once);
}

std::byte* SharedBackend::send_buffer(std::size_t i) {
  const Location location = send_locations_[i];
  if (!location.on_node) return far_->send_buffer(location.index);
  return segments_->buffers(node_.rank()) + near_send_.offsets[location.index] * unit_;
}

const std::byte* SharedBackend::receive_buffer(std::size_t i) {
  const Location location = receive_locations_[i];
  if (!location.on_node) return far_->receive_buffer(location.index);
  const Sender& sender = senders_[location.index];
  return segments_->buffers(sender.rank) + sender.offset * unit_;
}

/// A partner may be blocked in another operation that needs the progress of MPI on this rank.
void SharedBackend::make_progress() const {
  int flag = 0;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_.handle(), &flag, MPI_STATUS_IGNORE);
}

void SharedBackend::open(Index unit) {
  unit_ = unit;
  segments_.take();
  while (!segments_->have_been_read()) {
    make_progress();
    yield_processor();
  }
  far_->open(unit);
}

void SharedBackend::start() {
  segments_->post(readers_);
  if (!has_far_messages()) far_->start();  // else start_far() has started it
}

bool SharedBackend::test() {
  if (!far_->test()) return false;
  const auto has_posted = [this](const Sender& sender) { return segments_->has_posted(sender.rank); };
  if (std::all_of(senders_.begin(), senders_.end(), has_posted)) return true;
  make_progress();
  return false;
}

void SharedBackend::close() {
  for (const Sender& sender : senders_) segments_->have_read(sender.rank);
  far_->close();
  segments_.give_back();
}

}  // namespace wavegrid
