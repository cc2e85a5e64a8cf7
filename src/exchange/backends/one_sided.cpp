#include <wavegrid/exchange/backends/one_sided.hpp>

namespace wavegrid {

WindowBackend::WindowBackend(BackendSetup&& setup, bool exposes_received)
    : setup_(std::move(setup)),
      memory_(setup_.comm, (exposes_received ? setup_.send : setup_.receive).total * setup_.capacity) {
  const MessageList& exposed = exposes_received ? setup_.receive : setup_.send;
  const MessageList& other = exposes_received ? setup_.send : setup_.receive;
  remote_ = remote_offsets(setup_.comm, tag(Notification::offsets), other, exposed);
}

void WindowBackend::notify(Notification notification, int to) {
  MPI_Isend(nullptr, 0, MPI_BYTE, to, tag(notification), setup_.comm.handle(), notified_.add());
}

void WindowBackend::expect(Notification notification, int from, RequestList& list) const {
  MPI_Irecv(nullptr, 0, MPI_BYTE, from, tag(notification), setup_.comm.handle(), list.add());
}

PutBackend::PutBackend(BackendSetup setup)
    : WindowBackend(std::move(setup), true), window_(setup_.comm, setup_.receive.total * setup_.capacity) {}

void PutBackend::open(Index unit) {
  unit_ = unit;
  notified_all_ = false;
  memory_.take();
  window_.take();
  for (const int partner : setup_.send.partners) expect(Notification::ready, partner, ready_);
  for (const int partner : setup_.receive.partners) {
    expect(Notification::done, partner, done_);
    notify(Notification::ready, partner);
  }
}

bool PutBackend::test() {
  const MessageType type(unit_);
  for (const int index : ready_.test_some()) {
    const auto i = static_cast<std::size_t>(index);
    const int count = type.count(setup_.send.elements[i], unit_);
    MPI_Rput(send_buffer(i), count, type.type, setup_.send.partners[i], static_cast<MPI_Aint>(remote_[i] * unit_),
             count, type.type, window_->window.handle(), moves_.add());
  }
  if (moves_.size() < setup_.send.size() || !moves_.test()) return false;
  if (!notified_all_) {
    // A completed request means only that the send buffer can be reused; one flush for all puts waits until they are
    // complete at their targets.
    if (moves_.size() > 0) window_->window.flush();
    for (const int partner : setup_.send.partners) notify(Notification::done, partner);
    notified_all_ = true;
  }
  if (!done_.test() || !notified_.test()) return false;
  window_->window.sync();
  return true;
}

void PutBackend::close() {
  for (RequestList* list : {&ready_, &done_, &moves_, &notified_}) list->clear();
  memory_.give_back();
  window_.give_back();
}

GetBackend::GetBackend(BackendSetup setup)
    : WindowBackend(std::move(setup), false), window_(setup_.comm, setup_.send.total * setup_.capacity) {}

void GetBackend::open(Index unit) {
  unit_ = unit;
  notified_all_ = false;
  memory_.take();
  window_.take();
  window_->read.clear();  // waits until the previous messages in the window have been read
  for (const int partner : setup_.receive.partners) expect(Notification::ready, partner, ready_);
  for (const int partner : setup_.send.partners) expect(Notification::done, partner, window_->read);
}

void GetBackend::start() {
  window_->window.sync();
  for (const int partner : setup_.send.partners) notify(Notification::ready, partner);
}

bool GetBackend::test() {
  const MessageType type(unit_);
  for (const int index : ready_.test_some()) {
    const auto i = static_cast<std::size_t>(index);
    const int count = type.count(setup_.receive.elements[i], unit_);
    MPI_Rget(memory_->data.data() + setup_.receive.offsets[i] * unit_, count, type.type, setup_.receive.partners[i],
             static_cast<MPI_Aint>(remote_[i] * unit_), count, type.type, window_->window.handle(), moves_.add());
  }
  if (moves_.size() < setup_.receive.size() || !moves_.test()) return false;
  if (!notified_all_)
    for (const int partner : setup_.receive.partners) notify(Notification::done, partner);
  notified_all_ = true;
  return notified_.test();
}

void GetBackend::close() {
  for (RequestList* list : {&ready_, &moves_, &notified_}) list->clear();
  memory_.give_back();
  window_.give_back();
}

}  // namespace wavegrid
