#include <complex>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/fingerprint.hpp>
#include <wavegrid/exchange/exchange_engine.hpp>
#include <wavegrid/mpi/agreement.hpp>
#include <wavegrid/mpi/environment.hpp>
#include <wavegrid/mpi/sparse_exchange.hpp>

namespace wavegrid {

ExchangeEngine::Side::Side(std::vector<PartnerRuns> entries, int my_rank) {
  std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.partner < b.partner; });
  bool any = false;
  for (PartnerRuns& entry : entries) {
    const Index elements = total_length(entry.runs);
    if (elements == 0) continue;
    for (const StridedRun run : entry.runs) {
      used = {any ? std::min(used.begin, run.start) : run.start, std::max(used.end, run.end())};
      any = true;
    }
    if (entry.partner == my_rank) {
      own = std::move(entry.runs);
      continue;
    }
    messages.append(entry.partner, elements);
    runs.push_back(std::move(entry.runs));
  }
}

RunLists ExchangeEngine::Side::lists() const {
  RunLists all;
  for (const RunList& list : runs) all.push_back(&list);
  if (!own.empty()) all.push_back(&own);
  return all;
}

ExchangeEngine::ExchangeEngine(const Comm& comm, std::vector<PartnerRuns> sends, std::vector<PartnerRuns> receives,
                               Transport transport, int threads)
    : comm_(Comm::private_copy(comm.handle())), transport_(transport), threads_(threads) {
  const auto check = [&] {
    require_thread_level(threads_);
    require_entries("sends", sends, comm_);
    require_entries("receives", receives, comm_);
    return Fingerprint().add(transport).value();
  };
  agree(comm_, check, "exchange plan: the ranks name different transports; all ranks must name the same");
  send_ = Side(std::move(sends), comm_.rank());
  receive_ = Side(std::move(receives), comm_.rank());
  require_equal_counts();
  const bool is_local_identity =
      send_.messages.size() == 0 && receive_.messages.size() == 0 && send_.own == receive_.own;
  identity_ = comm_.min(is_local_identity ? 1 : 0) == 1;
  const RunLists read = send_.lists(), written = receive_.lists();
  disjoint_ = comm_.min(are_disjoint(read, written) ? 1 : 0) == 1;
  two_sided_ = !read.empty() && !written.empty();
  own_ = OwnCopies(std::exchange(send_.own, {}), std::exchange(receive_.own, {}));
  for (const Side* side : {&send_, &receive_})
    for (const Index n : side->messages.elements) longest_ = std::max(longest_, n);
  longest_ = comm_.max(longest_);
  largest_ = comm_.max(std::max(send_.messages.total, receive_.messages.total));
  std::vector<int> rising(send_.messages.partners);
  rising.insert(std::lower_bound(rising.begin(), rising.end(), comm_.rank()), comm_.rank());
  add_in_order(rising);
}

/// Every sender sends its receivers the number of elements that they will get; no array with an entry for each rank is
/// needed.
void ExchangeEngine::require_equal_counts() const {
  std::vector<PartnerItems<Index>> announced;
  for (std::size_t i = 0; i < send_.messages.size(); ++i)
    announced.push_back({send_.messages.partners[i], {send_.messages.elements[i]}});
  std::map<int, Index> surplus;
  for (const PartnerItems<Index>& entry : sparse_exchange(comm_, announced)) surplus[entry.partner] += entry.items[0];
  for (std::size_t i = 0; i < receive_.messages.size(); ++i)
    surplus[receive_.messages.partners[i]] -= receive_.messages.elements[i];
  surplus[comm_.rank()] = total_length(send_.own) - total_length(receive_.own);
  comm_.collectively([&] {
    for (const auto& [rank, elements] : surplus)
      if (elements != 0)
        throw bad_input("exchange plan: rank " + std::to_string(rank) + " sends " + std::to_string(std::abs(elements)) +
                        " elements " + (elements > 0 ? "more" : "fewer") + " than rank " +
                        std::to_string(comm_.rank()) + " expects from it; both sides must name the same elements");
  });
}

void ExchangeEngine::require_disjoint(const Batch& batch) const {
  // Arrays without elements may have the same address by chance. The other ranks agree.
  if (!two_sided_ || identity_) return;
  if (disjoint_ && (batch.count == 1 || batch.source_stride == batch.target_stride)) return;
  throw bad_input("exchange in place: " +
                  (disjoint_ ? "the bands of source and target have different strides, " +
                                   std::to_string(batch.source_stride) + " and " + std::to_string(batch.target_stride)
                             : std::string("an element is both read and written")) +
                  "; give two arrays");
}

void ExchangeEngine::require_batch(const Batch& batch) const {
  wavegrid::require_batch(batch, source_array(nullptr, batch), target_array(nullptr, batch), comm_.rank());
  // Counts and displacements of one call are ints in MPI 3: a call's volume stays below the tile size on every rank.
  const Index numbers = largest_ * batch.values;
  if (numbers > 2 * max_message)
    throw bad_input("one band's messages hold " + std::to_string(numbers) + " numbers on a rank, more than the " +
                    std::to_string(2 * max_message) + " that one call can count; use more ranks");
}

void ExchangeEngine::require_arrays(NumberType type, const void* source, const void* target, const Batch& batch) const {
  if (source == target) return require_disjoint(batch);
  require_apart(type, batch, source_array(source, batch), target_array(target, batch), comm_.rank());
}

void ExchangeEngine::add_in_order(const std::vector<int>& ranks) {
  const std::vector<int>& partners = send_.messages.partners;
  std::vector<std::size_t> order;
  for (const int rank : ranks) {
    const auto partner = std::lower_bound(partners.begin(), partners.end(), rank);
    if (rank == comm_.rank())
      order.push_back(partners.size());
    else if (partner != partners.end() && *partner == rank)
      order.push_back(static_cast<std::size_t>(partner - partners.begin()));
  }
  std::vector<std::size_t> each(order), expected(partners.size() + 1);
  std::sort(each.begin(), each.end());
  std::iota(expected.begin(), expected.end(), std::size_t{0});
  if (each != expected || ranks.size() != expected.size())
    throw bad_input("exchange plan: the order of additions on rank " + std::to_string(comm_.rank()) + " has " +
                    std::to_string(ranks.size()) + " ranks; it must name this rank and the " +
                    std::to_string(partners.size()) + " that send to it in an adjoint exchange, each once");
  order_ = std::move(order);
}

void ExchangeEngine::release_other_transports() {
  std::erase_if(slots_, [this](const auto& slot) { return slot->transport != transport_; });
}

/// The first slot of this transport and direction that is free, with buffers for `unit` bytes per element. All ranks
/// find the same one, because they start and end exchanges in the same order.
std::size_t ExchangeEngine::free_slot(bool to_target, Index unit) {
  auto found = std::find_if(slots_.begin(), slots_.end(), [&](const auto& slot) {
    return !slot->busy && slot->transport == transport_ && slot->to_target == to_target;
  });
  if (found == slots_.end()) {
    slots_.push_back(std::make_unique<Slot>());
    found = slots_.end() - 1;
    (*found)->transport = transport_;
    (*found)->to_target = to_target;
  }
  Slot& slot = **found;
  if (slot.capacity < unit) {
    slot.backend.reset();
    const Side &from = to_target ? send_ : receive_, &to = to_target ? receive_ : send_;
    slot.backend = make_backend(transport_, {comm_, from.messages, to.messages, unit, reserve_tags(comm_)});
    slot.capacity = unit;
  }
  return static_cast<std::size_t>(found - slots_.begin());
}

/// Packs the messages of the next bands and sends them, those to other nodes first.
template <class T>
void ExchangeEngine::send_piece(Slot& slot) {
  const Side& from = slot.to_target ? send_ : receive_;
  const Index values = slot.batch.values, bands = slot.piece();
  const Index stride = (slot.to_target ? slot.batch.source_stride : slot.batch.target_stride) * values;
  const T* const in = static_cast<const T*>(slot.to_target ? slot.source : slot.target) + slot.done * stride;
  slot.backend->open(bands * values * static_cast<Index>(sizeof(T)));
  const auto pack_band = [&](std::size_t i, Index band) {
    T* const message = reinterpret_cast<T*>(slot.backend->send_buffer(i));
    pack(from.runs[i], values, in + band * stride, message + band * from.messages.elements[i] * values);
  };
  const Index messages = static_cast<Index>(from.messages.size());
  const auto pack_all = [&](bool far) {
#pragma omp parallel for collapse(2) num_threads(threads_) if (threads_ > 1) schedule(static)
    for (Index m = 0; m < messages; ++m)
      for (Index b = 0; b < bands; ++b)
        if (slot.backend->is_far(static_cast<std::size_t>(m)) == far) pack_band(static_cast<std::size_t>(m), b);
  };
  if (slot.backend->has_far_messages()) {
    pack_all(true);
    slot.backend->start_far();
  }
  pack_all(false);
  slot.arrived = false;
  slot.backend->start();
}

/// Copies, or adds, the received messages and this rank's own part to the receiving array.
template <class T>
void ExchangeEngine::unpack_piece(Slot& slot) {
  const bool to_target = slot.to_target;
  const Side& to = to_target ? receive_ : send_;
  const Index values = slot.batch.values, bands = slot.piece();
  const Index in_stride = (to_target ? slot.batch.source_stride : slot.batch.target_stride) * values;
  const Index out_stride = (to_target ? slot.batch.target_stride : slot.batch.source_stride) * values;
  const T* const in = static_cast<const T*>(to_target ? slot.source : slot.target) + slot.done * in_stride;
  T* const out = static_cast<T*>(to_target ? slot.target : slot.source) + slot.done * out_stride;
  const auto message = [&](std::size_t i, Index band) {
    return reinterpret_cast<const T*>(slot.backend->receive_buffer(i)) + band * to.messages.elements[i] * values;
  };
  const auto parts = static_cast<Index>(to.messages.size()) + 1;
  if (slot.direction == ExchangeDirection::adjoint) {
    // Bands do not overlap, so threads divide them; within a band the parts are added in their order.
#pragma omp parallel for num_threads(threads_) if (threads_ > 1) schedule(static)
    for (Index b = 0; b < bands; ++b)
      for (const std::size_t i : order_) {
        T* const band = out + b * out_stride;
        if (i < to.messages.size())
          add(to.runs[i], values, message(i, b), band);
        else
          own_.add(!to_target, values, in + b * in_stride, band);
      }
  } else {
#pragma omp parallel for collapse(2) num_threads(threads_) if (threads_ > 1) schedule(static)
    for (Index b = 0; b < bands; ++b)
      for (Index part = 0; part < parts; ++part) {
        const auto i = static_cast<std::size_t>(part);
        T* const band = out + b * out_stride;
        if (i < to.messages.size())
          unpack(to.runs[i], values, message(i, b), band);
        else
          own_.copy(!to_target, values, in + b * in_stride, band);
      }
  }
  slot.backend->close();
}

template <class T>
void ExchangeEngine::set_steps(Slot& slot) {
  slot.send_piece = &ExchangeEngine::send_piece<T>;
  slot.unpack_piece = &ExchangeEngine::unpack_piece<T>;
}

std::size_t ExchangeEngine::start(ExchangeDirection direction, NumberType type, void* source, void* target,
                                  const Batch& batch) {
  const Profile::Guard guard = log_.time();
  const Index bands_per_piece =
      std::clamp<Index>(max_message / std::max<Index>(largest_ * batch.values, 1), 1, batch.count);
  const bool to_target = direction == ExchangeDirection::forward;
  const Index band = batch.values * size_of(type);
  const std::size_t number = free_slot(to_target, bands_per_piece * band);
  Slot& slot = *slots_[number];
  slot.busy = true;
  slot.direction = direction;
  slot.source = source;
  slot.target = target;
  slot.batch = batch;
  slot.bands_per_piece = bands_per_piece;
  slot.done = 0;
  switch (type) {
    case NumberType::float32:
      set_steps<float>(slot);
      break;
    case NumberType::float64:
      set_steps<double>(slot);
      break;
    case NumberType::complex64:
      set_steps<std::complex<float>>(slot);
      break;
    case NumberType::complex128:
      set_steps<std::complex<double>>(slot);
      break;
    case NumberType::int64:
      set_steps<Index>(slot);
      break;
  }
  slot.logged =
      log_.begin(to_string(transport_), to_target, batch.count * band, ceil_div(batch.count, bands_per_piece));
  const TraceSlice step = log_.step("pack");
  (this->*slot.send_piece)(slot);
  return number;
}

bool ExchangeEngine::test(std::size_t exchange) {
  Slot& slot = *slots_[exchange];
  slot.arrived = slot.arrived || slot.backend->test();
  return slot.arrived;
}

void ExchangeEngine::finish(std::size_t exchange) {
  Slot& slot = *slots_[exchange];
  const Profile::Guard guard = log_.time();
  while (true) {
    if (!slot.arrived) {
      const TraceSlice step = log_.step("wait");
      slot.backend->wait();
    }
    {
      const TraceSlice step = log_.step("unpack");
      (this->*slot.unpack_piece)(slot);
    }
    slot.done += slot.piece();
    if (slot.done >= slot.batch.count) break;
    const TraceSlice step = log_.step("pack");
    (this->*slot.send_piece)(slot);
  }
  log_.end(slot.logged);
  slot.busy = false;
}

}  // namespace wavegrid
