// Moves values from the layout that owns them to another layout: planned once, run many times.
#pragma once

#include <cstddef>
#include <iterator>
#include <memory>
#include <ranges>
#include <type_traits>
#include <utility>
#include <vector>

#include <wavegrid/exchange/batch.hpp>
#include <wavegrid/exchange/exchange_engine.hpp>
#include <wavegrid/exchange/runs.hpp>
#include <wavegrid/exchange/transport.hpp>
#include <wavegrid/mpi/comm.hpp>

namespace wavegrid {

/// An exchange in progress. Neither array may be touched until it has ended; its destructor waits for the end. It keeps
/// what it needs of its plan, which may be destroyed before.
/// All ranks end the exchanges of a communicator in the same order.
class Exchange {
 public:
  Exchange() = default;
  Exchange(Exchange&&) noexcept = default;
  Exchange& operator=(Exchange&& other) noexcept;
  ~Exchange() { wait(); }

  /// Makes progress; true if all messages have arrived (wait() unpacks them).
  bool test();
  /// Waits for the messages and unpacks them. Does nothing if that has been done.
  void wait();

 private:
  friend class ExchangePlan;
  Exchange(std::shared_ptr<ExchangeEngine> engine, std::size_t number) : engine_(std::move(engine)), number_(number) {}
  std::shared_ptr<ExchangeEngine> engine_;  ///< null: no exchange is in progress
  std::size_t number_ = 0;
};

/// The messages of one band that a rank sends in a plan.
struct MessageSizes {
  Index sent = 0;     ///< number of them
  Index longest = 0;  ///< of all ranks, elements
};

/// A communication pattern between two local index spaces of every rank of a communicator.
///
/// A block of bands is sent in one message per partner. Elements of the receiving array that are not in the pattern are
/// not changed. Any transport can be chosen for any exchange, the same on all ranks; the resources of a transport are
/// allocated at its first use and kept, so that later exchanges allocate nothing. Several exchanges may be in progress
/// at the same time; plans on one communicator use one duplicate of it and the same message buffers in turn, so all
/// ranks start the exchanges of all its plans in the same order. Memory is proportional to this rank's runs and
/// messages (except for the count arrays of the collective transports).
class ExchangePlan {
 public:
  /// Collective over `comm`, an intra-communicator. At most one entry per partner on each side; entries may be empty.
  /// `threads`: the number of threads that pack and unpack. Throws bad_input, on all ranks alike, if a partner is not a
  /// rank of `comm` or has two entries, if a run begins before element 0, if the element counts of a sender and its
  /// receiver differ, if the ranks name different transports, or if the thread level of MPI is too low for `threads`
  /// threads.
  ExchangePlan(const Comm& comm, std::vector<PartnerRuns> sends, std::vector<PartnerRuns> receives, Transport transport,
               int threads = 1);

  /// Starts to move a block of bands. Collective over the plan's communicator; direction, type, count and values of
  /// `batch`, and the transport, are the same on all ranks, which is not checked. T is float, double, a std::complex of
  /// them, or Index. Forward reads `source` and writes `target`; backward and adjoint read `target`. The arrays must
  /// not overlap. One array can serve as both if no element of any rank is both read and written (for example ghost
  /// points filled in place; the strides are then equal), or if is_identity(). Throws bad_input, on the ranks that
  /// find it, for other arrays, a negative number of bands, elements without a number, and bands that overlap.
  template <class T>
  [[nodiscard]] Exchange start(ExchangeDirection direction, T* source, T* target, const Batch& batch) {
    return start(direction, number_type<T>(), source, target, batch);
  }
  /// The same where the type of the numbers is not known when the program is compiled.
  [[nodiscard]] Exchange start(ExchangeDirection direction, NumberType type, void* source, void* target,
                               const Batch& batch);

  /// The same for vectors or spans of one type of numbers: throws bad_input on all ranks, and starts nothing, if any
  /// rank finds a fault, if an array ends before the last element of the last band, or if the ranks pass different
  /// directions, types, counts, values or transports. Costs a reduction. The array that is read may be const.
  template <std::ranges::contiguous_range From, std::ranges::contiguous_range To>
  [[nodiscard]] Exchange start(ExchangeDirection direction, From&& source, To&& target, const Batch& batch) {
    using T = std::ranges::range_value_t<From>;
    require_agreement(direction, source, target, batch);
    return start(direction, const_cast<T*>(std::ranges::data(source)), const_cast<T*>(std::ranges::data(target)),
                 batch);
  }
  /// What start() for vectors checks. Collective, one reduction.
  template <std::ranges::contiguous_range From, std::ranges::contiguous_range To>
  void require_agreement(ExchangeDirection direction, const From& source, const To& target, const Batch& batch) const {
    using T = std::ranges::range_value_t<From>;
    static_assert(std::is_same_v<T, std::ranges::range_value_t<To>>, "source and target differ in their type");
    require_agreement(direction, number_type<T>(), Numbers{std::ranges::data(source), std::ssize(source)},
                      Numbers{std::ranges::data(target), std::ssize(target)}, batch);
  }
  /// What start() for pointers checks. Local.
  void require_valid(NumberType type, const void* source, const void* target, const Batch& batch) const;

  /// Elements of an array of one band: up to the end of the last one that is exchanged. On this rank.
  [[nodiscard]] Index source_extent() const { return engine_->source().used.end; }
  [[nodiscard]] Index target_extent() const { return engine_->target().used.end; }

  /// Starts an exchange and waits for it.
  template <class T>
  void forward(const T* source, T* target, const Batch& batch) {
    start(ExchangeDirection::forward, const_cast<T*>(source), target, batch).wait();
  }
  template <std::ranges::contiguous_range From, std::ranges::contiguous_range To>
  void forward(const From& source, To&& target, const Batch& batch) {
    start(ExchangeDirection::forward, source, target, batch).wait();
  }
  template <class T>
  void backward(const T* target, T* source, const Batch& batch) {
    start(ExchangeDirection::backward, source, const_cast<T*>(target), batch).wait();
  }
  template <std::ranges::contiguous_range From, std::ranges::contiguous_range To>
  void backward(const From& target, To&& source, const Batch& batch) {
    start(ExchangeDirection::backward, source, target, batch).wait();
  }
  template <class T>
  void adjoint(const T* target, T* source, const Batch& batch) {
    start(ExchangeDirection::adjoint, source, const_cast<T*>(target), batch).wait();
  }
  template <std::ranges::contiguous_range From, std::ranges::contiguous_range To>
  void adjoint(const From& target, To&& source, const Batch& batch) {
    start(ExchangeDirection::adjoint, source, target, batch).wait();
  }

  /// The order in which adjoint exchanges add to an element: the messages in the order of these ranks, and this rank's
  /// own part at the position of this rank. Local; valid until the next call; initially by rising rank. Throws
  /// bad_input if the list does not contain this rank and all ranks that send to it in an adjoint exchange, each once.
  void add_in_order(const std::vector<int>& ranks) { engine_->add_in_order(ranks); }

  /// True if all elements of every rank stay in place: nothing is moved, and one array can serve as both.
  [[nodiscard]] bool is_identity() const { return engine_->is_identity(); }
  [[nodiscard]] Transport transport() const { return engine_->transport(); }
  /// The transport from the next exchange on. Collective; throws bad_input if the ranks name different ones.
  void use(Transport transport);
  /// The same for a transport that the ranks have agreed on. Local.
  void use_agreed(Transport transport) { engine_->use(transport); }
  /// Frees the resources of all transports but the current one. Collective; no exchange may be in progress.
  void release_other_transports() { engine_->release_other_transports(); }
  /// Records time and traffic of the exchanges from the next one on in `profile`, which must outlive the plan and its
  /// exchanges, and in its trace, where partners are numbered by their ranks in `all`. Null ends the recording. Local;
  /// no exchange may be in progress.
  void record(Profile* profile, TrafficKind kind, const Comm& all) { engine_->record(profile, kind, all); }

  [[nodiscard]] const Comm& comm() const { return engine_->comm(); }
  /// Elements of one band that this rank sends to others, and the number of messages.
  [[nodiscard]] Index elements_sent() const { return engine_->source().messages.total; }
  [[nodiscard]] Index messages_sent() const { return static_cast<Index>(engine_->source().messages.size()); }
  /// The longest message of all ranks, elements of one band: what the padded transport sends to every rank.
  [[nodiscard]] Index longest_message() const { return engine_->longest_message(); }
  [[nodiscard]] MessageSizes messages() const { return {messages_sent(), longest_message()}; }

  /// Bytes of a plan on rank `my_rank`, without MPI's own buffers. Pure.
  struct Bytes {
    double runs = 0;     ///< of the plan alone
    double buffers = 0;  ///< of one exchange, which the plans of a communicator share
    [[nodiscard]] double total() const { return runs + buffers; }
  };
  /// For messages of at most `unit` bytes per element.
  [[nodiscard]] static Bytes bytes(const std::vector<PartnerRuns>& sends, const std::vector<PartnerRuns>& receives,
                                   int my_rank, Transport transport, Index unit);

 private:
  /// An array of `size` numbers.
  struct Numbers {
    const void* data;
    Index size;
  };
  void require_agreement(ExchangeDirection direction, NumberType type, Numbers source, Numbers target,
                         const Batch& batch) const;

  std::shared_ptr<ExchangeEngine> engine_;  ///< shared with exchanges in progress
};

}  // namespace wavegrid
