#include "exchange/carriers/one_sided.hpp"

namespace wavegrid {

WindowCarrier::WindowCarrier(CarrierParts parts, bool expose_in) : parts_(std::move(parts)) {
  const Mail& exposed = expose_in ? parts_.in : parts_.out;
  const Mail& other = expose_in ? parts_.out : parts_.in;
  // Whole cache lines: MPICH 4.0.2 misplaces segments of other sizes that share one node's memory.
  constexpr Index line = 64;
  const Index bytes = (exposed.total * parts_.capacity + line - 1) / line * line;
  MPI_Win_allocate(static_cast<MPI_Aint>(bytes), 1, MPI_INFO_NULL, parts_.comm.handle(), static_cast<void*>(&exposed_),
                   &window_);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window_);
  boxes_.resize(static_cast<std::size_t>(other.total * parts_.capacity));
  remote_.resize(other.size());
  std::vector<MPI_Request> requests(exposed.size() + other.size());
  for (std::size_t i = 0; i < other.size(); ++i)
    MPI_Irecv(&remote_[i], 1, MPI_INT64_T, other.partners[i], tag(Token::setup), parts_.comm.handle(), &requests[i]);
  for (std::size_t i = 0; i < exposed.size(); ++i)
    MPI_Isend(&exposed.offsets[i], 1, MPI_INT64_T, exposed.partners[i], tag(Token::setup), parts_.comm.handle(),
              &requests[other.size() + i]);
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  tokens_.reserve(exposed.size() + other.size());
}

WindowCarrier::~WindowCarrier() {
  MPI_Waitall(static_cast<int>(tokens_.size()), tokens_.data(), MPI_STATUSES_IGNORE);
  MPI_Win_unlock_all(window_);
  MPI_Win_free(&window_);
}

void WindowCarrier::post_token(Token token, int to) {
  MPI_Isend(nullptr, 0, MPI_BYTE, to, tag(token), parts_.comm.handle(), &tokens_.emplace_back());
}

void WindowCarrier::expect_token(Token token, int from, MPI_Request& request) {
  MPI_Irecv(nullptr, 0, MPI_BYTE, from, tag(token), parts_.comm.handle(), &request);
}

const std::vector<int>& WindowCarrier::arrived(std::vector<MPI_Request>& requests) {
  indices_.resize(requests.size());
  int count = 0;
  MPI_Testsome(static_cast<int>(requests.size()), requests.data(), &count, indices_.data(), MPI_STATUSES_IGNORE);
  indices_.resize(count == MPI_UNDEFINED ? 0 : static_cast<std::size_t>(count));
  return indices_;
}

bool WindowCarrier::all_done(std::vector<MPI_Request>& requests) {
  int flag = 1;
  MPI_Testall(static_cast<int>(requests.size()), requests.data(), &flag, MPI_STATUSES_IGNORE);
  return flag != 0;
}

void PutCarrier::open(Index unit) {
  unit_ = unit;
  served_ = 0;
  tokens_.clear();
  ready_.resize(parts_.out.size());
  done_.resize(parts_.in.size());
  for (std::size_t i = 0; i < ready_.size(); ++i) expect_token(Token::ready, parts_.out.partners[i], ready_[i]);
  for (std::size_t i = 0; i < done_.size(); ++i) {
    expect_token(Token::done, parts_.in.partners[i], done_[i]);
    post_token(Token::ready, parts_.in.partners[i]);
  }
}

bool PutCarrier::test() {
  const WireType wire(unit_);
  for (const int index : arrived(ready_)) {
    const auto i = static_cast<std::size_t>(index);
    const int partner = parts_.out.partners[i], count = wire.count(parts_.out.elements[i], unit_);
    MPI_Put(outbox(i), count, wire.type, partner, static_cast<MPI_Aint>(remote_[i] * unit_), count, wire.type, window_);
    MPI_Win_flush(partner, window_);
    ++served_;
    post_token(Token::done, partner);
  }
  if (served_ < ready_.size() || !all_done(done_) || !all_done(tokens_)) return false;
  MPI_Win_sync(window_);
  return true;
}

void GetCarrier::open(Index unit) {
  // The boxes are free when every reader of the last messages has said so.
  MPI_Waitall(static_cast<int>(done_.size()), done_.data(), MPI_STATUSES_IGNORE);
  unit_ = unit;
  served_ = 0;
  tokens_.clear();
  ready_.resize(parts_.in.size());
  done_.resize(parts_.out.size());
  for (std::size_t i = 0; i < ready_.size(); ++i) expect_token(Token::ready, parts_.in.partners[i], ready_[i]);
  for (std::size_t i = 0; i < done_.size(); ++i) expect_token(Token::done, parts_.out.partners[i], done_[i]);
}

void GetCarrier::start() {
  MPI_Win_sync(window_);
  for (const int partner : parts_.out.partners) post_token(Token::ready, partner);
}

bool GetCarrier::test() {
  const WireType wire(unit_);
  for (const int index : arrived(ready_)) {
    const auto i = static_cast<std::size_t>(index);
    const int partner = parts_.in.partners[i], count = wire.count(parts_.in.elements[i], unit_);
    MPI_Get(boxes_.data() + parts_.in.offsets[i] * unit_, count, wire.type, partner,
            static_cast<MPI_Aint>(remote_[i] * unit_), count, wire.type, window_);
    MPI_Win_flush(partner, window_);
    ++served_;
    post_token(Token::done, partner);
  }
  return served_ == ready_.size() && all_done(tokens_);
}

GetCarrier::~GetCarrier() { MPI_Waitall(static_cast<int>(done_.size()), done_.data(), MPI_STATUSES_IGNORE); }

}  // namespace wavegrid
