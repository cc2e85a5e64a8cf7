// Moves values from the layout that owns them to another layout: planned once, run many times.
#pragma once

#include <algorithm>
#include <iterator>
#include <memory>
#include <ranges>
#include <type_traits>
#include <vector>

#include <wavegrid/exchange/backend.hpp>
#include <wavegrid/exchange/copy_runs.hpp>
#include <wavegrid/exchange/disjoint_runs.hpp>
#include <wavegrid/exchange/exchange_log.hpp>
#include <wavegrid/exchange/runs.hpp>
#include <wavegrid/exchange/transport.hpp>
#include <wavegrid/mpi/comm.hpp>

namespace wavegrid {

/// What is moved together: consecutive arrays ("bands") of one layout. An element of the layout is one number, or a
/// tuple of `values` consecutive numbers, such as the values of all states at a mesh point.
struct Batch {
  Index count = 1;          ///< bands, 0 or more
  Index source_stride = 0;  ///< elements between the starts of two bands in the source array; set it for several bands
  Index target_stride = 0;  ///< the same in the target array
  Index values = 1;         ///< numbers per element
};

/// In which direction values move along a plan.
enum class ExchangeDirection {
  forward,   ///< source to target
  backward,  ///< target to source
  adjoint,   ///< target added to source: this rank's own part and its partners', in the order of add_in_order()
};

class ExchangePlan;

/// An exchange in progress. Neither array may be touched until it has ended; its destructor waits for the end, and the
/// plan must outlive it.
/// All ranks end the exchanges of a communicator in the same order.
class Exchange {
 public:
  Exchange() = default;
  Exchange(Exchange&& other) noexcept : plan_(other.plan_), slot_(other.slot_) { other.plan_ = nullptr; }
  Exchange& operator=(Exchange&& other) noexcept;
  ~Exchange() { wait(); }

  /// Makes progress; true if all messages have arrived (wait() unpacks them).
  bool test();
  /// Waits for the messages and unpacks them. Does nothing if that has been done.
  void wait();

 private:
  friend class ExchangePlan;
  Exchange(ExchangePlan* plan, std::size_t slot) : plan_(plan), slot_(slot) {}
  ExchangePlan* plan_ = nullptr;
  std::size_t slot_ = 0;
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
/// messages (except for the count arrays of the collective transports). Plans are not moved while an exchange is in
/// progress.
class ExchangePlan {
 public:
  /// Collective over `comm`, an intra-communicator. At most one entry per partner on each side; entries may be empty.
  /// `threads`: the number of threads that pack and unpack. Throws (on all ranks alike) if a partner is not a rank of
  /// `comm` or if the element counts of a sender and its receiver differ; bad_input if the thread level of MPI is too
  /// low for `threads` threads.
  ExchangePlan(const Comm& comm, std::vector<PartnerRuns> sends, std::vector<PartnerRuns> receives, Transport transport,
               int threads = 1);

  /// Starts to move a block of bands. Collective over the plan's communicator; direction, type, `batch` and transport
  /// are the same on all ranks, which is not checked. T is float, double, a std::complex of them, or Index. Forward
  /// reads `source` and writes `target`; backward and adjoint read `target`. The arrays must not overlap. One array can
  /// serve as both if no element of any rank is both read and written (for example ghost points filled in place; the
  /// strides are then equal), or if is_identity(); otherwise bad_input.
  template <class T>
  [[nodiscard]] Exchange start(ExchangeDirection direction, T* source, T* target, const Batch& batch);

  /// The same for vectors or spans of one type of numbers, whose lengths are checked: throws bad_input on all ranks if
  /// one of them ends before the last element of the last band, and starts nothing. Costs a reduction. The array that
  /// is read may be const.
  template <std::ranges::contiguous_range From, std::ranges::contiguous_range To>
  [[nodiscard]] Exchange start(ExchangeDirection direction, From&& source, To&& target, const Batch& batch) {
    using T = std::ranges::range_value_t<From>;
    static_assert(std::is_same_v<T, std::ranges::range_value_t<To>>, "source and target differ in their type");
    require_lengths(std::ssize(source), std::ssize(target), batch);
    return start(direction, const_cast<T*>(std::ranges::data(source)), const_cast<T*>(std::ranges::data(target)),
                 batch);
  }

  /// Elements of an array of one band: up to the end of the last one that is exchanged. On this rank.
  [[nodiscard]] Index source_extent() const { return send_.extent; }
  [[nodiscard]] Index target_extent() const { return receive_.extent; }

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
  void add_in_order(const std::vector<int>& ranks);

  /// True if all elements of every rank stay in place: nothing is moved, and one array can serve as both.
  [[nodiscard]] bool is_identity() const { return identity_; }
  [[nodiscard]] Transport transport() const { return transport_; }
  /// The transport from the next exchange on; the same on all ranks.
  void use(Transport transport) { transport_ = transport; }
  /// Frees the resources of all transports but the current one. Collective; no exchange may be in progress.
  void release_other_transports();
  /// Records time and traffic of the exchanges from the next one on in `profile`, which must outlive the plan, and in
  /// its trace, where partners are numbered by their ranks in `all`. Null ends the recording. Local; no exchange may be
  /// in progress.
  void record(Profile* profile, TrafficKind kind, const Comm& all) {
    log_ = ExchangeLog(profile, kind, comm_, all, send_.messages, receive_.messages);
  }

  [[nodiscard]] const Comm& comm() const { return comm_; }
  /// Elements of one band that this rank sends to others, and the number of messages.
  [[nodiscard]] Index elements_sent() const { return send_.messages.total; }
  [[nodiscard]] Index messages_sent() const { return static_cast<Index>(send_.messages.size()); }
  /// The longest message of all ranks, elements of one band: what the padded transport sends to every rank.
  [[nodiscard]] Index longest_message() const { return longest_; }
  [[nodiscard]] MessageSizes messages() const { return {messages_sent(), longest_}; }

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
  friend class Exchange;
  /// One side of the plan: messages in partner order.
  struct Side {
    MessageList messages;
    std::vector<RunList> runs;  ///< of each message
    RunList own;                ///< what stays on this rank; empty once own_ is made
    Index extent = 0;           ///< behind the last element

    [[nodiscard]] RunLists lists() const;  ///< none of them empty
  };
  /// The resources and the state of one exchange at a time.
  struct Slot {
    Transport transport;
    bool to_target;
    std::unique_ptr<Backend> backend;
    Index capacity = 0;
    bool busy = false;
    // The exchange in progress. A batch too long for one call is sent in pieces, the first at the start, the rest at
    // the end.
    ExchangeDirection direction = ExchangeDirection::forward;
    void *source = nullptr, *target = nullptr;
    Batch batch;
    Index bands_per_piece = 1;
    Index done = 0;  ///< bands
    bool arrived = false;
    Trace::Handle logged = Trace::not_kept;
    void (ExchangePlan::*send_piece)(Slot&) = nullptr;
    void (ExchangePlan::*unpack_piece)(Slot&) = nullptr;

    [[nodiscard]] Index piece() const { return std::min(bands_per_piece, batch.count - done); }
  };

  static Side make_side(std::vector<PartnerRuns> entries, int my_rank);
  void require_agreement() const;
  void require_lengths(Index source, Index target, const Batch& batch) const;
  void require_disjoint(const Batch& batch) const;
  [[nodiscard]] std::size_t free_slot(bool to_target, Index unit);
  template <class T>
  void send_piece(Slot& slot);
  template <class T>
  void unpack_piece(Slot& slot);
  void finish(Slot& slot);

  Comm comm_;
  Transport transport_;
  int threads_;
  Side send_, receive_;
  OwnCopies own_;  ///< from the source to the target
  bool identity_ = false;
  bool disjoint_ = false;   ///< no element of any rank is in both sides
  bool two_sided_ = false;  ///< this rank has elements in the source and in the target
  Index longest_ = 0;
  Index largest_ = 0;               ///< elements of one band that a rank sends or receives, of all ranks
  std::vector<std::size_t> order_;  ///< of additions in an adjoint: message indices; their count means the own part
  std::vector<std::unique_ptr<Slot>> slots_;
  ExchangeLog log_;
};

}  // namespace wavegrid
