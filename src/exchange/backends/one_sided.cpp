#include "exchange/backends/one_sided.hpp"

namespace wavegrid {

WindowBackend::WindowBackend(BackendSetup setup, bool expose_in) : setup_(std::move(setup)) {
  const MessageList& exposed = expose_in ? setup_.receive : setup_.send;
  const MessageList& other = expose_in ? setup_.send : setup_.receive;
  // Whole cache lines: MPICH 4.0.2 misplaces segments of other sizes that share one node's memory.
  constexpr Index line = 64;
  const Index bytes = (exposed.total * setup_.capacity + line - 1) / line * line;
  MPI_Win_allocate(static_cast<MPI_Aint>(bytes), 1, MPI_INFO_NULL, setup_.comm.handle(),
                   static_cast<void*>(&window_buffer_), &window_);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window_);
  local_buffer_.resize(static_cast<std::size_t>(other.total * setup_.capacity));
  remote_.resize(other.size());
  std::vector<MPI_Request> requests(exposed.size() + other.size());
  for (std::size_t i = 0; i < other.size(); ++i)
    MPI_Irecv(&remote_[i], 1, MPI_INT64_T, other.partners[i], tag(Notification::setup), setup_.comm.handle(),
              &requests[i]);
  for (std::size_t i = 0; i < exposed.size(); ++i)
    MPI_Isend(&exposed.offsets[i], 1, MPI_INT64_T, exposed.partners[i], tag(Notification::setup), setup_.comm.handle(),
              &requests[other.size() + i]);
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  notifications_.reserve(exposed.size() + other.size());
}

WindowBackend::~WindowBackend() {
  MPI_Waitall(static_cast<int>(notifications_.size()), notifications_.data(), MPI_STATUSES_IGNORE);
  MPI_Win_unlock_all(window_);
  MPI_Win_free(&window_);
}

void WindowBackend::send_notification(Notification notification, int to) {
  MPI_Isend(nullptr, 0, MPI_BYTE, to, tag(notification), setup_.comm.handle(), &notifications_.emplace_back());
}

void WindowBackend::receive_notification(Notification notification, int from, MPI_Request& request) {
  MPI_Irecv(nullptr, 0, MPI_BYTE, from, tag(notification), setup_.comm.handle(), &request);
}

const std::vector<int>& WindowBackend::arrived(std::vector<MPI_Request>& requests) {
  indices_.resize(requests.size());
  int count = 0;
  MPI_Testsome(static_cast<int>(requests.size()), requests.data(), &count, indices_.data(), MPI_STATUSES_IGNORE);
  indices_.resize(count == MPI_UNDEFINED ? 0 : static_cast<std::size_t>(count));
  return indices_;
}

bool WindowBackend::all_done(std::vector<MPI_Request>& requests) {
  int flag = 1;
  MPI_Testall(static_cast<int>(requests.size()), requests.data(), &flag, MPI_STATUSES_IGNORE);
  return flag != 0;
}

void PutBackend::open(Index unit) {
  unit_ = unit;
  num_moved_ = 0;
  notifications_.clear();
  ready_.resize(setup_.send.size());
  done_.resize(setup_.receive.size());
  for (std::size_t i = 0; i < ready_.size(); ++i)
    receive_notification(Notification::ready, setup_.send.partners[i], ready_[i]);
  for (std::size_t i = 0; i < done_.size(); ++i) {
    receive_notification(Notification::done, setup_.receive.partners[i], done_[i]);
    send_notification(Notification::ready, setup_.receive.partners[i]);
  }
}

bool PutBackend::test() {
  const TransferType wire(unit_);
  for (const int index : arrived(ready_)) {
    const auto i = static_cast<std::size_t>(index);
    const int partner = setup_.send.partners[i], count = wire.count(setup_.send.elements[i], unit_);
    MPI_Put(send_buffer(i), count, wire.type, partner, static_cast<MPI_Aint>(remote_[i] * unit_), count, wire.type,
            window_);
    MPI_Win_flush(partner, window_);
    ++num_moved_;
    send_notification(Notification::done, partner);
  }
  if (num_moved_ < ready_.size() || !all_done(done_) || !all_done(notifications_)) return false;
  MPI_Win_sync(window_);
  return true;
}

void GetBackend::open(Index unit) {
  // The boxes are free when every reader of the last messages has said so.
  MPI_Waitall(static_cast<int>(done_.size()), done_.data(), MPI_STATUSES_IGNORE);
  unit_ = unit;
  num_moved_ = 0;
  notifications_.clear();
  ready_.resize(setup_.receive.size());
  done_.resize(setup_.send.size());
  for (std::size_t i = 0; i < ready_.size(); ++i)
    receive_notification(Notification::ready, setup_.receive.partners[i], ready_[i]);
  for (std::size_t i = 0; i < done_.size(); ++i)
    receive_notification(Notification::done, setup_.send.partners[i], done_[i]);
}

void GetBackend::start() {
  MPI_Win_sync(window_);
  for (const int partner : setup_.send.partners) send_notification(Notification::ready, partner);
}

bool GetBackend::test() {
  const TransferType wire(unit_);
  for (const int index : arrived(ready_)) {
    const auto i = static_cast<std::size_t>(index);
    const int partner = setup_.receive.partners[i], count = wire.count(setup_.receive.elements[i], unit_);
    MPI_Get(local_buffer_.data() + setup_.receive.offsets[i] * unit_, count, wire.type, partner,
            static_cast<MPI_Aint>(remote_[i] * unit_), count, wire.type, window_);
    MPI_Win_flush(partner, window_);
    ++num_moved_;
    send_notification(Notification::done, partner);
  }
  return num_moved_ == ready_.size() && all_done(notifications_);
}

GetBackend::~GetBackend() { MPI_Waitall(static_cast<int>(done_.size()), done_.data(), MPI_STATUSES_IGNORE); }

}  // namespace wavegrid
