// What a plan writes into a trace.
#pragma once

#include <vector>

#include "base/trace.hpp"
#include "exchange/backend.hpp"

namespace wavegrid {

/// Records the exchanges of one plan: when they were in progress, their steps, the bytes to each partner. Without a
/// trace the cost is one branch.
class ExchangeLog {
 public:
  ExchangeLog() = default;
  /// Partners of the message lists are ranks of `plan`; the trace numbers them as ranks of `all`, which contains
  /// them. `name`, a literal, identifies the plan.
  ExchangeLog(Trace* trace, const char* name, const Comm& plan, const Comm& all, const MessageList& forward,
              const MessageList& backward);

  /// An exchange begins: messages of `unit` bytes per element, in `pieces` pieces.
  [[nodiscard]] Trace::Handle begin(const char* transport, bool towards_target, Index unit, Index pieces) {
    return trace_ ? write(transport, towards_target ? forward_ : backward_, unit, pieces) : Trace::not_kept;
  }
  void end(Trace::Handle exchange) {
    if (trace_) trace_->end(exchange);
  }
  /// A step of an exchange, to the end of the scope.
  [[nodiscard]] TraceSlice step(const char* name) const { return {trace_, EventKind::step, name}; }

 private:
  /// The messages of one direction.
  struct Side {
    std::vector<std::size_t> places;  ///< of the partners in the trace
    std::vector<Index> elements;
    Index total = 0;
  };
  [[nodiscard]] static Side side(Trace& trace, const Comm& plan, const Comm& all, const MessageList& messages);
  [[nodiscard]] Trace::Handle write(const char* transport, const Side& side, Index unit, Index pieces);

  Trace* trace_ = nullptr;
  const char* name_ = "";
  Side forward_, backward_;
};

}  // namespace wavegrid
