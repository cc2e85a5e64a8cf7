// What a plan and its exchanges in progress share: the runs of both sides, the buffers, and the steps of an exchange.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include <wavegrid/exchange/backend.hpp>
#include <wavegrid/exchange/batch.hpp>
#include <wavegrid/exchange/copy_runs.hpp>
#include <wavegrid/exchange/disjoint_runs.hpp>
#include <wavegrid/exchange/exchange_checks.hpp>
#include <wavegrid/exchange/exchange_log.hpp>
#include <wavegrid/exchange/runs.hpp>
#include <wavegrid/exchange/transport.hpp>
#include <wavegrid/mpi/comm.hpp>

namespace wavegrid {

/// Does the work of an ExchangePlan, whose comments apply, and lives as long as the plan or an exchange in progress.
class ExchangeEngine {
 public:
  /// One side of the plan: messages in partner order.
  struct Side {
    MessageList messages;
    std::vector<RunList> runs;  ///< of each message
    RunList own;                ///< what stays on this rank; empty once own_ is made
    Range used;                 ///< from the first element to behind the last

    Side() = default;
    Side(std::vector<PartnerRuns> entries, int my_rank);
    [[nodiscard]] RunLists lists() const;  ///< none of them empty
  };

  /// As that of ExchangePlan. Collective.
  ExchangeEngine(const Comm& comm, std::vector<PartnerRuns> sends, std::vector<PartnerRuns> receives,
                 Transport transport, int threads);

  /// The number of the exchange that it starts; there must be something to move.
  [[nodiscard]] std::size_t start(ExchangeDirection direction, NumberType type, void* source, void* target,
                                  const Batch& batch);
  bool test(std::size_t exchange);
  void finish(std::size_t exchange);

  /// Throws bad_input for a batch that cannot be moved. Local.
  void require_batch(const Batch& batch) const;
  /// Throws bad_input where the arrays have a number in common that they must not share. Local.
  void require_arrays(NumberType type, const void* source, const void* target, const Batch& batch) const;

  void add_in_order(const std::vector<int>& ranks);
  void use(Transport transport) { transport_ = transport; }
  void release_other_transports();
  void record(Profile* profile, TrafficKind kind, const Comm& all) {
    log_ = ExchangeLog(profile, kind, comm_, all, send_.messages, receive_.messages);
  }

  [[nodiscard]] const Side& source() const { return send_; }
  [[nodiscard]] const Side& target() const { return receive_; }
  [[nodiscard]] bool is_identity() const { return identity_; }
  [[nodiscard]] Transport transport() const { return transport_; }
  [[nodiscard]] const Comm& comm() const { return comm_; }
  [[nodiscard]] Index longest_message() const { return longest_; }

 private:
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
    void (ExchangeEngine::*send_piece)(Slot&) = nullptr;
    void (ExchangeEngine::*unpack_piece)(Slot&) = nullptr;

    [[nodiscard]] Index piece() const { return std::min(bands_per_piece, batch.count - done); }
  };

  void require_equal_counts() const;
  void require_disjoint(const Batch& batch) const;
  [[nodiscard]] std::size_t free_slot(bool to_target, Index unit);
  [[nodiscard]] ExchangeArray source_array(const void* data, const Batch& batch) const {
    return {"source", data, batch.source_stride, send_.used};
  }
  [[nodiscard]] ExchangeArray target_array(const void* data, const Batch& batch) const {
    return {"target", data, batch.target_stride, receive_.used};
  }
  template <class T>
  void set_steps(Slot& slot);
  template <class T>
  void send_piece(Slot& slot);
  template <class T>
  void unpack_piece(Slot& slot);

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
