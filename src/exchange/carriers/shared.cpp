#include "exchange/carriers/shared.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <new>

#include "exchange/carriers/pairwise.hpp"

namespace wavegrid {

namespace {

MPI_Comm node_of(const Comm& comm) {
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(comm.handle(), MPI_COMM_TYPE_SHARED, comm.rank(), MPI_INFO_NULL, &node);
  const char* const setting = std::getenv("WAVEGRID_RANKS_PER_NODE");
  const int ranks = setting ? std::atoi(setting) : 0;
  if (ranks < 1) return node;
  int rank = 0;
  MPI_Comm_rank(node, &rank);
  MPI_Comm piece = MPI_COMM_NULL;
  MPI_Comm_split(node, rank / ranks, rank, &piece);
  MPI_Comm_free(&node);
  return piece;
}

/// The partners' ranks on the node, MPI_UNDEFINED for those on others.
std::vector<int> ranks_on_node(const Comm& comm, MPI_Comm node, const std::vector<int>& partners) {
  MPI_Group all = MPI_GROUP_NULL, here = MPI_GROUP_NULL;
  MPI_Comm_group(comm.handle(), &all);
  MPI_Comm_group(node, &here);
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

bool spans_nodes(const Comm& comm) {
  MPI_Comm node = node_of(comm);
  int size = 0;
  MPI_Comm_size(node, &size);
  MPI_Comm_free(&node);
  return comm.min(size) < comm.size();
}

std::byte* SharedCarrier::boxes_behind(Counter* counters, Index readers) {
  return reinterpret_cast<std::byte*>(counters + 1 + readers);
}

SharedCarrier::SharedCarrier(CarrierParts parts) : node_(node_of(parts.comm)), comm_(parts.comm) {
  divide(parts);
  const Index header = static_cast<Index>((1 + near_out_.size()) * sizeof(Counter));
  void* base = nullptr;
  MPI_Info info = MPI_INFO_NULL;  // segments need not be contiguous: each may lie near its rank, on its own page
  MPI_Info_create(&info);
  MPI_Info_set(info, "alloc_shared_noncontig", "true");
  MPI_Win_allocate_shared(static_cast<MPI_Aint>(header + 64 + near_out_.total * parts.capacity), 1, info, node_,
                          static_cast<void*>(&base), &window_);
  MPI_Info_free(&info);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window_);
  counters_ = reinterpret_cast<Counter*>(aligned(base));
  boxes_ = boxes_behind(counters_, static_cast<Index>(near_out_.size()));
  for (std::size_t i = 0; i < 1 + near_out_.size(); ++i) new (counters_ + i) Counter{{0}};
  MPI_Barrier(node_);  // counters stand before anybody reads them
  meet_senders(parts);
}

SharedCarrier::~SharedCarrier() {
  MPI_Win_unlock_all(window_);
  MPI_Win_free(&window_);  // waits for all ranks of the node
  MPI_Comm_free(&node_);
}

/// Divides the mail into what stays on the node and what does not.
void SharedCarrier::divide(const CarrierParts& parts) {
  CarrierParts far{parts.comm, {}, {}, parts.capacity, parts.tag};
  const auto split = [&](const Mail& mail, Mail& near_mail, Mail& far_mail, std::vector<Place>& places,
                         std::vector<int>* node_ranks) {
    const std::vector<int> ranks = ranks_on_node(parts.comm, node_, mail.partners);
    for (std::size_t i = 0; i < mail.size(); ++i) {
      const bool near = ranks[i] != MPI_UNDEFINED;
      Mail& part = near ? near_mail : far_mail;
      places.push_back({near, part.size()});
      part.append(mail.partners[i], mail.elements[i]);
      if (near && node_ranks) node_ranks->push_back(ranks[i]);
    }
  };
  split(parts.out, near_out_, far.out, out_places_, nullptr);
  split(parts.in, near_in_, far.in, in_places_, &near_in_node_ranks_);
  far_ = std::make_unique<PairwiseCarrier>(std::move(far), PairwiseCarrier::Schedule::at_once);
}

/// Every rank tells its readers where their message begins and which reader they are.
void SharedCarrier::meet_senders(const CarrierParts& parts) {
  using Card = std::array<Index, 3>;  // offset, reader, number of readers
  std::vector<Card> cards(near_out_.size()), received(near_in_.size());
  std::vector<MPI_Request> requests(cards.size() + received.size());
  constexpr int count = 3;
  for (std::size_t i = 0; i < received.size(); ++i)
    MPI_Irecv(received[i].data(), count, MPI_INT64_T, near_in_.partners[i], parts.tag, comm_.handle(), &requests[i]);
  for (std::size_t i = 0; i < cards.size(); ++i) {
    cards[i] = {near_out_.offsets[i], static_cast<Index>(i), static_cast<Index>(cards.size())};
    MPI_Isend(cards[i].data(), count, MPI_INT64_T, near_out_.partners[i], parts.tag, comm_.handle(),
              &requests[received.size() + i]);
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  for (std::size_t i = 0; i < received.size(); ++i) {
    MPI_Aint bytes = 0;
    int unit = 0;
    void* base = nullptr;
    MPI_Win_shared_query(window_, near_in_node_ranks_[i], &bytes, &unit, static_cast<void*>(&base));
    auto* const counters = reinterpret_cast<Counter*>(aligned(base));
    senders_.push_back({counters, boxes_behind(counters, received[i][2]), received[i][0], received[i][1]});
  }
}

std::byte* SharedCarrier::outbox(std::size_t i) {
  const Place place = out_places_[i];
  return place.near ? boxes_ + near_out_.offsets[place.index] * unit_ : far_->outbox(place.index);
}

const std::byte* SharedCarrier::inbox(std::size_t i) {
  const Place place = in_places_[i];
  if (!place.near) return far_->inbox(place.index);
  const Sender& sender = senders_[place.index];
  return sender.boxes + sender.offset * unit_;
}

bool SharedCarrier::readers_are_through() const {
  return std::all_of(counters_ + 1, counters_ + 1 + near_out_.size(), [this](const Counter& counter) {
    return counter.value.load(std::memory_order_acquire) >= sequence_;
  });
}

bool SharedCarrier::senders_have_posted() const {
  return std::all_of(senders_.begin(), senders_.end(), [this](const Sender& sender) {
    return sender.counters->value.load(std::memory_order_acquire) >= sequence_;
  });
}

void SharedCarrier::open(Index unit) {
  while (!readers_are_through()) let_others_run();
  unit_ = unit;
  far_->open(unit);
}

void SharedCarrier::start() {
  counters_[0].value.store(++sequence_, std::memory_order_release);
  far_->start();
}

bool SharedCarrier::test() {
  if (!far_->test()) return false;
  if (senders_have_posted()) return true;
  // A partner may be held up by something that waits for this rank inside MPI: let MPI move on.
  int flag = 0;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_.handle(), &flag, MPI_STATUS_IGNORE);
  return false;
}

void SharedCarrier::close() {
  for (const Sender& sender : senders_)
    sender.counters[1 + sender.reader].value.store(sequence_, std::memory_order_release);
  far_->close();
}

}  // namespace wavegrid
