// Plan once, run many: values owned by one layout are wanted by another.
#pragma once

#include <memory>
#include <vector>

#include "exchange/backend.hpp"
#include "exchange/exchange_log.hpp"
#include "exchange/runs.hpp"
#include "exchange/transport.hpp"
#include "mpi/comm.hpp"

namespace wavegrid {

/// A block of bands: consecutive arrays of one layout.
struct Batch {
  Index count = 1;          ///< bands
  Index source_stride = 0;  ///< elements between the starts of two bands in the source array
  Index target_stride = 0;  ///< the same in the target array
};

/// Which way values go along a plan.
enum class ExchangeDirection {
  forward,   ///< source to target
  backward,  ///< target to source
  adjoint,   ///< target added to source: this rank's own part and its partners' in rising order of rank
};

class ExchangePlan;

/// An exchange under way. Neither array may be touched until it has ended; ends at the latest with its life.
/// All ranks end their exchanges in the same order.
class Exchange {
 public:
  Exchange() = default;
  Exchange(Exchange&& other) noexcept : plan_(other.plan_), slot_(other.slot_) { other.plan_ = nullptr; }
  Exchange& operator=(Exchange&& other) noexcept;
  ~Exchange() { wait(); }

  /// Moves messages on; true where all have arrived (they are placed by wait()).
  bool test();
  /// Waits for the messages and places them. Does nothing where it has been done.
  void wait();

 private:
  friend class ExchangePlan;
  Exchange(ExchangePlan* plan, std::size_t slot) : plan_(plan), slot_(slot) {}
  ExchangePlan* plan_ = nullptr;
  std::size_t slot_ = 0;
};

/// A communication pattern between two local index spaces of every rank of a communicator.
///
/// A block of bands rides in one message per partner. Elements of the receiving array that the pattern does not name
/// stay untouched. Any transport can be chosen for any exchange, all ranks alike; what a transport needs is made when
/// it is first used and kept, so that later exchanges allocate nothing. Several exchanges may be under way together.
/// Memory is proportional to this rank's runs and messages (count arrays of the collective transports apart).
/// Plans do not move while an exchange is under way.
class ExchangePlan {
 public:
  /// Collective over `comm`, an intra-communicator. At most one entry per partner on each side, entries of no elements
  /// are allowed. `threads` pack and unpack.
  /// Throws (on all ranks alike) where a partner is no rank of `comm` or where the element counts of a sender and its
  /// receiver disagree.
  ExchangePlan(const Comm& comm, std::vector<PartnerRuns> sends, std::vector<PartnerRuns> receives, Transport transport,
               int threads = 1);

  /// Starts to move a block of bands. Collective over the plan's communicator; the arrays must not overlap, unless
  /// is_identity(). Forward reads `source` and writes `target`; backward and adjoint read `target`.
  template <class T>
  [[nodiscard]] Exchange start(ExchangeDirection direction, T* source, T* target, const Batch& batch);

  /// The same from start to end.
  template <class T>
  void forward(const T* source, T* target, const Batch& batch) {
    start(ExchangeDirection::forward, const_cast<T*>(source), target, batch).wait();
  }
  template <class T>
  void backward(const T* target, T* source, const Batch& batch) {
    start(ExchangeDirection::backward, source, const_cast<T*>(target), batch).wait();
  }
  template <class T>
  void adjoint(const T* target, T* source, const Batch& batch) {
    start(ExchangeDirection::adjoint, source, const_cast<T*>(target), batch).wait();
  }

  /// True where every rank keeps all its elements in place: nothing need be moved and one array can serve as both.
  [[nodiscard]] bool is_identity() const { return identity_; }
  [[nodiscard]] Transport transport() const { return transport_; }
  /// From the next exchange on; all ranks alike.
  void use(Transport transport) { transport_ = transport; }
  /// Frees what every transport but the present one keeps. Collective; nothing may be under way.
  void release_other_transports();
  /// From the next exchange on, writes what happens into `trace`, which must live as long as the plan, under `name`, a
  /// literal; partners by their ranks in `all`. A null trace ends it. Any rank for itself, nothing may be under way.
  void write_to(Trace* trace, const char* name, const Comm& all) {
    log_ = ExchangeLog(trace, name, comm_, all, send_.messages, receive_.messages);
  }

  [[nodiscard]] const Comm& comm() const { return comm_; }
  /// Elements of one band that this rank sends to others, and the number of messages.
  [[nodiscard]] Index elements_sent() const { return send_.messages.total; }
  [[nodiscard]] Index messages_sent() const { return static_cast<Index>(send_.messages.size()); }
  /// The longest message of all ranks, elements of one band: what the padded transport sends to everybody.
  [[nodiscard]] Index longest_message() const { return longest_; }

  /// Bytes that a plan of rank `my_rank` keeps once both ways have been used with messages of `unit` bytes per
  /// element: its runs and its boxes. Pure; MPI's own buffers come on top.
  [[nodiscard]] static double bytes(const std::vector<PartnerRuns>& sends, const std::vector<PartnerRuns>& receives,
                                    int my_rank, Transport transport, Index unit);

 private:
  friend class Exchange;
  /// One side of the plan: messages in partner order; this rank's own runs apart.
  struct Side {
    MessageList messages;
    std::vector<std::vector<Run>> runs;  ///< of each message
    std::vector<Run> own;
  };
  /// What one exchange at a time uses.
  struct Slot {
    Transport transport;
    bool towards_target;
    std::unique_ptr<Backend> backend;
    Index capacity = 0;
    bool busy = false;
    // The exchange under way. A batch too long for one call goes in pieces, the first at once, the rest at the end.
    ExchangeDirection direction = ExchangeDirection::forward;
    void *source = nullptr, *target = nullptr;
    Batch batch;
    Index done = 0;
    bool arrived = false;
    Trace::Handle logged = Trace::not_kept;
    void (ExchangePlan::*start_piece)(Slot&) = nullptr;
    void (ExchangePlan::*place_piece)(Slot&) = nullptr;
  };

  static Side make_side(std::vector<PartnerRuns> entries, int my_rank);
  void require_agreement() const;
  [[nodiscard]] std::size_t free_slot(bool towards_target, Index unit);
  [[nodiscard]] Index piece(const Slot& slot) const;
  template <class T>
  void start_piece(Slot& slot);
  template <class T>
  void place_piece(Slot& slot);
  void finish(Slot& slot);

  Comm comm_;
  Transport transport_;
  int threads_;
  Side send_, receive_;
  bool identity_ = false;
  Index longest_ = 0;
  Index bands_per_message_ = 1;
  std::vector<std::unique_ptr<Slot>> slots_;
  int backends_made_ = 0;
  ExchangeLog log_;
};

}  // namespace wavegrid
