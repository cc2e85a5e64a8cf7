#include "exchange/backends/shared.hpp"

#include <algorithm>
#include <array>
#include <new>

#include "exchange/backends/pairwise.hpp"
#include "mpi/node.hpp"

namespace wavegrid {

namespace {

/// The partners' ranks on the node, MPI_UNDEFINED for those on others.
std::vector<int> ranks_on_node(const Comm& comm, const Comm& node, const std::vector<int>& partners) {
  MPI_Group all = MPI_GROUP_NULL, here = MPI_GROUP_NULL;
  MPI_Comm_group(comm.handle(), &all);
  MPI_Comm_group(node.handle(), &here);
  std::vector<int> ranks(partners.size());
  MPI_Group_translate_ranks(all, static_cast<int>(partners.size()), partners.data(), here, ranks.data());
  MPI_Group_free(&all);
  MPI_Group_free(&here);
  return ranks;
}

/// The first cache line of a segment. Segments begin at pages or at cache lines alike on all ranks that see them.
std::byte* aligned(void* segment) {
  constexpr std::uintptr_t line = 64;
  return reinterpret_cast<std::byte*>((reinterpret_cast<std::uintptr_t>(segment) + line - 1) / line * line);
}

}  // namespace

std::byte* SharedBackend::buffers_after(Counter* counters, Index readers) {
  return reinterpret_cast<std::byte*>(counters + 1 + readers);
}

SharedBackend::SharedBackend(BackendSetup setup) : node_(ranks_of_node(setup.comm)), comm_(setup.comm) {
  split_by_node(setup);
  const Index header = static_cast<Index>((1 + near_out_.size()) * sizeof(Counter));
  void* base = nullptr;
  MPI_Info info = MPI_INFO_NULL;  // segments need not be contiguous: each may lie near its rank, on its own page
  MPI_Info_create(&info);
  MPI_Info_set(info, "alloc_shared_noncontig", "true");
  MPI_Win_allocate_shared(static_cast<MPI_Aint>(header + (near_out_.total * setup.capacity + 127) / 64 * 64), 1, info,
                          node_.handle(), static_cast<void*>(&base), &window_);
  MPI_Info_free(&info);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window_);
  counters_ = reinterpret_cast<Counter*>(aligned(base));
  local_buffer_ = buffers_after(counters_, static_cast<Index>(near_out_.size()));
  for (std::size_t i = 0; i < 1 + near_out_.size(); ++i) new (counters_ + i) Counter{{0}};
  node_.barrier();  // counters stand before anybody reads them
  exchange_locations(setup);
}

SharedBackend::~SharedBackend() {
  MPI_Win_unlock_all(window_);
  MPI_Win_free(&window_);  // waits for all ranks of the node
}

/// Divides the messages into what stays on the node and what does not.
void SharedBackend::split_by_node(const BackendSetup& setup) {
  BackendSetup far{setup.comm, {}, {}, setup.capacity, setup.tag};
  const auto split = [&](const MessageList& messages, MessageList& near_list, MessageList& far_list,
                         std::vector<Location>& places, std::vector<int>* node_ranks) {
    const std::vector<int> ranks = ranks_on_node(setup.comm, node_, messages.partners);
    for (std::size_t i = 0; i < messages.size(); ++i) {
      const bool near = ranks[i] != MPI_UNDEFINED;
      MessageList& part = near ? near_list : far_list;
      places.push_back({near, part.size()});
      part.append(messages.partners[i], messages.elements[i]);
      if (near && node_ranks) node_ranks->push_back(ranks[i]);
    }
  };
  split(setup.send, near_out_, far.send, send_locations_, nullptr);
  split(setup.receive, near_in_, far.receive, receive_locations_, &near_in_node_ranks_);
  far_ = std::make_unique<PairwiseBackend>(std::move(far), PairwiseBackend::Schedule::at_once);
}

/// Every rank tells its readers where their message begins and which reader they are.
void SharedBackend::exchange_locations(const BackendSetup& setup) {
  using SegmentInfo = std::array<Index, 3>;  // offset, reader, number of readers
  std::vector<SegmentInfo> infos(near_out_.size()), received(near_in_.size());
  std::vector<MPI_Request> requests(infos.size() + received.size());
  constexpr int count = 3;
  for (std::size_t i = 0; i < received.size(); ++i)
    MPI_Irecv(received[i].data(), count, MPI_INT64_T, near_in_.partners[i], setup.tag, comm_.handle(), &requests[i]);
  for (std::size_t i = 0; i < infos.size(); ++i) {
    infos[i] = {near_out_.offsets[i], static_cast<Index>(i), static_cast<Index>(infos.size())};
    MPI_Isend(infos[i].data(), count, MPI_INT64_T, near_out_.partners[i], setup.tag, comm_.handle(),
              &requests[received.size() + i]);
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  for (std::size_t i = 0; i < received.size(); ++i) {
    MPI_Aint bytes = 0;
    int unit = 0;
    void* base = nullptr;
    MPI_Win_shared_query(window_, near_in_node_ranks_[i], &bytes, &unit, static_cast<void*>(&base));
    auto* const counters = reinterpret_cast<Counter*>(aligned(base));
    senders_.push_back({counters, buffers_after(counters, received[i][2]), received[i][0], received[i][1]});
  }
}

std::byte* SharedBackend::send_buffer(std::size_t i) {
  const Location location = send_locations_[i];
  return location.near ? local_buffer_ + near_out_.offsets[location.index] * unit_ : far_->send_buffer(location.index);
}

const std::byte* SharedBackend::receive_buffer(std::size_t i) {
  const Location location = receive_locations_[i];
  if (!location.near) return far_->receive_buffer(location.index);
  const Sender& sender = senders_[location.index];
  return sender.boxes + sender.offset * unit_;
}

bool SharedBackend::readers_have_finished() const {
  return std::all_of(counters_ + 1, counters_ + 1 + near_out_.size(), [this](const Counter& counter) {
    return counter.value.load(std::memory_order_acquire) >= sequence_;
  });
}

bool SharedBackend::senders_have_posted() const {
  return std::all_of(senders_.begin(), senders_.end(), [this](const Sender& sender) {
    return sender.counters->value.load(std::memory_order_acquire) >= sequence_;
  });
}

void SharedBackend::open(Index unit) {
  while (!readers_have_finished()) yield_processor();
  unit_ = unit;
  far_->open(unit);
}

void SharedBackend::start() {
  counters_[0].value.store(++sequence_, std::memory_order_release);
  far_->start();
}

bool SharedBackend::test() {
  if (!far_->test()) return false;
  if (senders_have_posted()) return true;
  // A partner may be held up by something that waits for this rank inside MPI: let MPI move on.
  int flag = 0;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_.handle(), &flag, MPI_STATUS_IGNORE);
  return false;
}

void SharedBackend::close() {
  for (const Sender& sender : senders_)
    sender.counters[1 + sender.reader].value.store(sequence_, std::memory_order_release);
  far_->close();
}

}  // namespace wavegrid
