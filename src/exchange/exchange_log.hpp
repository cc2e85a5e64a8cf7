// What a plan writes into a profile and its trace.
#pragma once

#include <vector>

#include <wavegrid/base/profile.hpp>
#include <wavegrid/exchange/backend.hpp>

namespace wavegrid {

/// Records the exchanges of one plan: their time and number, what was sent, and with a trace also when they were in
/// progress, their steps and the bytes to each partner. Without a profile, and on one rank, the cost is one branch.
class ExchangeLog {
 public:
  ExchangeLog() = default;
  /// Partners of the message lists are ranks of `plan`; the trace numbers them as ranks of `all`, which contains
  /// them.
  ExchangeLog(Profile* profile, TrafficKind kind, const Comm& plan, const Comm& all, const MessageList& forward,
              const MessageList& backward);

  /// An exchange begins: messages of `unit` bytes per element, sent in `pieces` pieces.
  [[nodiscard]] Trace::Handle begin(const char* transport, bool towards_target, Index unit, Index pieces) {
    return profile_ ? write(transport, towards_target ? forward_ : backward_, unit, pieces) : Trace::not_kept;
  }
  void end(Trace::Handle exchange) {
    if (trace_) trace_->end(exchange);
  }
  /// Adds time to Phase::exchange and to the purpose until the guard is destroyed.
  [[nodiscard]] Profile::Guard time() const { return {profile_, Phase::exchange, kind_}; }
  /// A step of an exchange, to the end of the scope.
  [[nodiscard]] TraceSlice step(const char* name) const { return {trace_, EventKind::step, name}; }

 private:
  /// The messages of one direction.
  struct Side {
    Index messages = 0, total = 0;    ///< total: elements of one band
    std::vector<Index> elements;      ///< of each message; empty without a trace, as the places are
    std::vector<std::size_t> places;  ///< of the partners in the trace
  };
  [[nodiscard]] Side side(const Comm& plan, const Comm& all, const MessageList& messages);
  [[nodiscard]] Trace::Handle write(const char* transport, const Side& side, Index unit, Index pieces);

  Profile* profile_ = nullptr;
  Trace* trace_ = nullptr;  ///< of the profile
  TrafficKind kind_ = TrafficKind::other;
  Side forward_, backward_;
};

}  // namespace wavegrid
