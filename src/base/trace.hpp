// A timeline of one rank: phases, exchanges, and the bytes sent to each partner.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <wavegrid/base/index.hpp>

namespace wavegrid {

enum class EventKind {
  phase,     ///< of the profile; phases nest
  step,      ///< a part of an exchange (pack, wait, unpack), or what is computed meanwhile (inner points)
  exchange,  ///< from the start of its messages to the end of the wait; several may overlap
};

/// A record of bounded size: when it is full, further events are counted, but not stored. Bytes are always counted.
/// Names are stored as pointers: use literals, or texts that outlive the trace. Not thread-safe.
class Trace {
 public:
  using Time = std::int64_t;  ///< ns of the steady clock
  using Handle = std::size_t;

  /// Events of one rank, 48 bytes each: 12 MiB.
  static constexpr std::size_t default_max_events = std::size_t{1} << 18;
  static constexpr Handle not_kept = static_cast<Handle>(-1);

  /// Relation of this rank's clock to the common time of all ranks.
  struct Clock {
    Time origin = 0;  ///< the common zero of time of all ranks, on this rank's clock
    Time error = 0;   ///< largest error of `origin`: 0 if the ranks share one clock
    int hosts = 1;    ///< number of hosts on which the ranks run
  };
  struct Event {
    const char* name;
    const char* detail;  ///< for exchanges: the name of the plan; else empty
    Time begin, end;     ///< `end` is 0 until the event has ended
    Index bytes;         ///< sent, of exchanges
    int messages;        ///< sent, of exchanges
    EventKind kind;
  };
  /// What was sent to one partner.
  struct Traffic {
    int partner;
    Index bytes, messages;
  };

  Trace() : Trace(Clock{}) {}
  explicit Trace(const Clock& clock, std::size_t max_events = default_max_events)
      : clock_(clock), max_events_(max_events) {}

  static Time to_time(std::chrono::steady_clock::time_point point) {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(point.time_since_epoch()).count();
  }
  static Time now() { return to_time(std::chrono::steady_clock::now()); }

  /// Calls are made in order of rising time.
  [[nodiscard]] Handle begin(EventKind kind, const char* name, Time at = now()) {
    return add({name, "", at, 0, 0, 0, kind});
  }
  [[nodiscard]] Handle begin_exchange(const char* name, const char* detail, Index bytes, int messages) {
    return add({name, detail, now(), 0, bytes, messages, EventKind::exchange});
  }
  void end(Handle event, Time at = now()) {
    if (event != not_kept) events_[event].end = at;
  }

  /// The index of the counter of a partner in traffic(); the same for each call with this partner.
  [[nodiscard]] std::size_t partner_index(int partner);
  void count(std::size_t place, Index bytes, Index messages) {
    traffic_[place].bytes += bytes;
    traffic_[place].messages += messages;
  }

  [[nodiscard]] const Clock& clock() const { return clock_; }
  [[nodiscard]] const std::vector<Event>& events() const { return events_; }
  [[nodiscard]] const std::vector<Traffic>& traffic() const { return traffic_; }
  [[nodiscard]] std::size_t max_events() const { return max_events_; }
  /// The number of events that were not stored because the record was full.
  [[nodiscard]] std::size_t lost() const { return lost_; }

 private:
  Handle add(const Event& event) {
    if (events_.size() == max_events_) {
      ++lost_;
      return not_kept;
    }
    events_.push_back(event);
    return events_.size() - 1;
  }

  Clock clock_;
  std::size_t max_events_;
  std::size_t lost_ = 0;
  std::vector<Event> events_;
  std::vector<Traffic> traffic_;  ///< in the order of the first use
};

/// An event from here to the end of the scope; no effect without a trace.
class TraceSlice {
 public:
  TraceSlice(Trace* trace, EventKind kind, const char* name)
      : trace_(trace), event_(trace ? trace->begin(kind, name) : Trace::not_kept) {}
  TraceSlice(const TraceSlice&) = delete;
  TraceSlice& operator=(const TraceSlice&) = delete;
  ~TraceSlice() {
    if (trace_) trace_->end(event_);
  }

 private:
  Trace* trace_;
  Trace::Handle event_;
};

}  // namespace wavegrid
