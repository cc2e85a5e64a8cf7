#include "exchange/exchange_plan.hpp"

#include <algorithm>
#include <complex>
#include <cstddef>
#include <map>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "mpi/sparse_exchange.hpp"

namespace wavegrid {

namespace {

/// Copies one band's runs into a dense message.
template <class T>
void pack(const std::vector<Run>& runs, const T* from, T* to) {
  for (const Run& run : runs) to = std::copy_n(from + run.start, run.length, to);
}

/// Spreads a dense message over one band's runs.
template <class T>
void unpack(const std::vector<Run>& runs, const T* from, T* to) {
  for (const Run& run : runs) {
    std::copy_n(from, run.length, to + run.start);
    from += run.length;
  }
}

/// Adds a dense message to one band's runs.
template <class T>
void add(const std::vector<Run>& runs, const T* from, T* to) {
  for (const Run& run : runs)
    for (Index i = 0; i < run.length; ++i) to[run.start + i] += *from++;
}

/// Calls visit(from, to, length) for the pieces of two run lists of equal length that may be cut at different places.
template <class Visit>
void for_matching_runs(const std::vector<Run>& from, const std::vector<Run>& to, Visit visit) {
  std::size_t f = 0;
  Index used = 0;
  for (const Run& target : to)
    for (Index done = 0; done < target.length;) {
      const Index n = std::min(from[f].length - used, target.length - done);
      visit(from[f].start + used, target.start + done, n);
      done += n;
      used += n;
      if (used == from[f].length) ++f, used = 0;
    }
}

}  // namespace

Exchange& Exchange::operator=(Exchange&& other) noexcept {
  wait();
  plan_ = std::exchange(other.plan_, nullptr);
  slot_ = other.slot_;
  return *this;
}

bool Exchange::test() {
  if (!plan_) return true;
  ExchangePlan::Slot& slot = *plan_->slots_[slot_];
  slot.arrived = slot.arrived || slot.backend->test();
  return slot.arrived;
}

void Exchange::wait() {
  if (!plan_) return;
  plan_->finish(*plan_->slots_[slot_]);
  plan_ = nullptr;
}

ExchangePlan::Side ExchangePlan::make_side(std::vector<PartnerRuns> entries, int my_rank) {
  Side side;
  std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.partner < b.partner; });
  for (PartnerRuns& entry : entries) {
    const Index elements = total_length(entry.runs);
    if (elements == 0) continue;
    if (entry.partner == my_rank) {
      side.own = std::move(entry.runs);
      continue;
    }
    side.messages.append(entry.partner, elements);
    side.runs.push_back(std::move(entry.runs));
  }
  return side;
}

ExchangePlan::ExchangePlan(const Comm& comm, std::vector<PartnerRuns> sends, std::vector<PartnerRuns> receives,
                           Transport transport, int threads)
    : comm_(Comm::duplicate(comm.handle())),
      transport_(transport),
      threads_(threads),
      send_(make_side(std::move(sends), comm.rank())),
      receive_(make_side(std::move(receives), comm.rank())) {
  require_agreement();
  const bool stays = send_.messages.size() == 0 && receive_.messages.size() == 0 && send_.own == receive_.own;
  identity_ = comm_.min(stays ? 1 : 0) == 1;
  for (const Side* side : {&send_, &receive_})
    for (const Index n : side->messages.elements) longest_ = std::max(longest_, n);
  longest_ = comm_.max(longest_);
  // Counts and displacements of one call are ints in MPI 3: a call's volume stays below the tile size on every rank.
  const Index largest = comm_.max(std::max(send_.messages.total, receive_.messages.total));
  if (largest > 2 * max_message)
    throw bad_input("one band's messages hold " + std::to_string(largest) + " elements on a rank, more than the " +
                    std::to_string(2 * max_message) + " that one call can count; use more ranks");
  bands_per_message_ = std::max<Index>(1, max_message / std::max<Index>(largest, 1));
}

/// Every sender tells its receivers how much they will get; no array over the ranks is needed.
void ExchangePlan::require_agreement() const {
  std::vector<PartnerItems<Index>> announced;
  for (std::size_t i = 0; i < send_.messages.size(); ++i)
    announced.push_back({send_.messages.partners[i], {send_.messages.elements[i]}});
  std::map<int, Index> surplus;
  for (const PartnerItems<Index>& entry : sparse_exchange(comm_, announced)) surplus[entry.partner] += entry.items[0];
  for (std::size_t i = 0; i < receive_.messages.size(); ++i)
    surplus[receive_.messages.partners[i]] -= receive_.messages.elements[i];
  surplus[comm_.rank()] = total_length(send_.own) - total_length(receive_.own);
  comm_.together([&] {
    for (const auto& [rank, elements] : surplus)
      if (elements != 0)
        throw bad_input("exchange plan: rank " + std::to_string(rank) + " sends " + std::to_string(elements) +
                        " elements more than rank " + std::to_string(comm_.rank()) +
                        " expects from it; both sides must name the same elements");
  });
}

void ExchangePlan::release_other_transports() {
  std::erase_if(slots_, [this](const auto& slot) { return slot->transport != transport_; });
}

/// The first slot of this transport and direction that is at rest, with room for `unit` bytes per element. All ranks
/// come to the same one, because they start and end exchanges in the same order.
std::size_t ExchangePlan::free_slot(bool towards_target, Index unit) {
  constexpr int tags_per_backend = 4;
  auto found = std::find_if(slots_.begin(), slots_.end(), [&](const auto& slot) {
    return !slot->busy && slot->transport == transport_ && slot->towards_target == towards_target;
  });
  if (found == slots_.end()) {
    slots_.push_back(std::make_unique<Slot>());
    found = slots_.end() - 1;
    (*found)->transport = transport_;
    (*found)->towards_target = towards_target;
  }
  Slot& slot = **found;
  if (slot.capacity < unit) {
    slot.backend.reset();
    const Side &out = towards_target ? send_ : receive_, &in = towards_target ? receive_ : send_;
    slot.backend =
        make_backend(transport_, {comm_, out.messages, in.messages, unit, tags_per_backend * backends_made_++});
    slot.capacity = unit;
  }
  return static_cast<std::size_t>(found - slots_.begin());
}

/// Bands of the piece that is under way.
Index ExchangePlan::piece(const Slot& slot) const { return std::min(bands_per_message_, slot.batch.count - slot.done); }

template <class T>
void ExchangePlan::start_piece(Slot& slot) {
  const bool to_target = slot.towards_target;
  const Side& from = to_target ? send_ : receive_;
  const Index stride = to_target ? slot.batch.source_stride : slot.batch.target_stride;
  const T* const in = static_cast<const T*>(to_target ? slot.source : slot.target) + slot.done * stride;
  const Index bands = piece(slot), messages = static_cast<Index>(from.messages.size());
  slot.backend->open(bands * static_cast<Index>(sizeof(T)));
#pragma omp parallel for collapse(2) num_threads(threads_) if (threads_ > 1) schedule(static)
  for (Index m = 0; m < messages; ++m)
    for (Index b = 0; b < bands; ++b) {
      const auto i = static_cast<std::size_t>(m);
      pack(from.runs[i], in + b * stride,
           reinterpret_cast<T*>(slot.backend->send_buffer(i)) + b * from.messages.elements[i]);
    }
  slot.arrived = false;
  slot.backend->start();
}

template <class T>
void ExchangePlan::place_piece(Slot& slot) {
  const bool to_target = slot.towards_target, adds = slot.direction == ExchangeDirection::adjoint;
  const Side &from = to_target ? send_ : receive_, &to = to_target ? receive_ : send_;
  const Index in_stride = to_target ? slot.batch.source_stride : slot.batch.target_stride;
  const Index out_stride = to_target ? slot.batch.target_stride : slot.batch.source_stride;
  const T* const in = static_cast<const T*>(to_target ? slot.source : slot.target) + slot.done * in_stride;
  T* const out = static_cast<T*>(to_target ? slot.target : slot.source) + slot.done * out_stride;
  const Index bands = piece(slot);
  // Bands are apart, so threads share them out; within a band partners come in order, this rank in its own turn.
  const auto own_position = static_cast<std::size_t>(
      std::lower_bound(to.messages.partners.begin(), to.messages.partners.end(), comm_.rank()) -
      to.messages.partners.begin());
  const auto copy_own = [&](Index b) {
    const T* const a = in + b * in_stride;
    T* const z = out + b * out_stride;
    for_matching_runs(from.own, to.own, [&](Index f, Index t, Index n) {
      if (!adds)
        std::copy_n(a + f, n, z + t);
      else
        for (Index i = 0; i < n; ++i) z[t + i] += a[f + i];
    });
  };
#pragma omp parallel for num_threads(threads_) if (threads_ > 1) schedule(static)
  for (Index b = 0; b < bands; ++b)
    for (std::size_t i = 0; i <= to.messages.size(); ++i) {
      if (i == own_position) copy_own(b);
      if (i == to.messages.size()) continue;
      const T* const message =
          reinterpret_cast<const T*>(slot.backend->receive_buffer(i)) + b * to.messages.elements[i];
      if (adds)
        add(to.runs[i], message, out + b * out_stride);
      else
        unpack(to.runs[i], message, out + b * out_stride);
    }
  slot.backend->close();
}

void ExchangePlan::finish(Slot& slot) {
  while (true) {
    if (!slot.arrived) {
      const TraceSlice step = log_.step("wait");
      slot.backend->wait();
    }
    {
      const TraceSlice step = log_.step("unpack");
      (this->*slot.place_piece)(slot);
    }
    slot.done += piece(slot);
    if (slot.done >= slot.batch.count) break;
    const TraceSlice step = log_.step("pack");
    (this->*slot.start_piece)(slot);
  }
  log_.end(slot.logged);
  slot.busy = false;
}

template <class T>
Exchange ExchangePlan::start(ExchangeDirection direction, T* source, T* target, const Batch& batch) {
  if (batch.count == 0) return {};
  const bool to_target = direction == ExchangeDirection::forward;
  const Index unit = std::min(bands_per_message_, batch.count) * static_cast<Index>(sizeof(T));
  const std::size_t number = free_slot(to_target, unit);
  Slot& slot = *slots_[number];
  slot.busy = true;
  slot.direction = direction;
  slot.source = source;
  slot.target = target;
  slot.batch = batch;
  slot.done = 0;
  slot.start_piece = &ExchangePlan::start_piece<T>;
  slot.place_piece = &ExchangePlan::place_piece<T>;
  slot.logged = log_.begin(name_of(transport_), to_target, batch.count * static_cast<Index>(sizeof(T)),
                           (batch.count + bands_per_message_ - 1) / bands_per_message_);
  const TraceSlice step = log_.step("pack");
  start_piece<T>(slot);
  return {this, number};
}

double ExchangePlan::bytes(const std::vector<PartnerRuns>& sends, const std::vector<PartnerRuns>& receives, int my_rank,
                           Transport transport, Index unit) {
  Index elements = 0, runs = 0;
  for (const auto* side : {&sends, &receives})
    for (const PartnerRuns& entry : *side) {
      runs += static_cast<Index>(entry.runs.size());
      if (entry.partner != my_rank) elements += total_length(entry.runs);
    }
  // Each way has boxes for what goes out and, but where it is read from the sender's box, for what comes in.
  const double boxes = (transport == Transport::shared ? 1.0 : 2.0) * static_cast<double>(elements * unit);
  return boxes + static_cast<double>(runs) * sizeof(Run);
}

#define WAVEGRID_INSTANTIATE(T) template Exchange ExchangePlan::start<T>(ExchangeDirection, T*, T*, const Batch&);
WAVEGRID_INSTANTIATE(Index)
WAVEGRID_INSTANTIATE(float)
WAVEGRID_INSTANTIATE(double)
WAVEGRID_INSTANTIATE(std::complex<float>)
WAVEGRID_INSTANTIATE(std::complex<double>)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
