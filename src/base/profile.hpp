// Exclusive wall time per phase (the time of nested phases is subtracted from the outer one), and what was sent.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>

#include <wavegrid/base/trace.hpp>
#include <wavegrid/base/traffic.hpp>

namespace wavegrid {

enum class Phase {
  fft,
  exchange,
  reductions,  ///< sums, extremes and broadcasts, the wait for other ranks included
  linear_algebra,
  nonlocal,
  other
};
inline constexpr std::size_t num_phases = 6;

/// The name used in output.
[[nodiscard]] constexpr const char* to_string(Phase phase) {
  constexpr std::array<const char*, num_phases> names{"fft",      "exchange", "reductions", "linear_algebra",
                                                      "nonlocal", "other"};
  return names[static_cast<std::size_t>(phase)];
}

/// At any time exactly one phase runs. One object per calculation, not thread-safe.
class Profile {
  /// What runs at a time.
  struct Activity {
    Phase phase = Phase::other;
    TrafficKind purpose = TrafficKind::other;  ///< of an exchange
  };

 public:
  /// With a trace, which must outlive this object, phases are also recorded there, inside one event "calculation" that
  /// lasts as long as this object.
  explicit Profile(Trace* trace = nullptr) : mark_(Clock::now()), trace_(trace) {
    if (trace_) whole_ = trace_->begin(EventKind::phase, "calculation", Trace::to_time(mark_));
  }
  Profile(const Profile&) = delete;
  Profile& operator=(const Profile&) = delete;
  ~Profile() {
    if (trace_) trace_->end(whole_);
  }

  /// Runs a phase until the guard is destroyed, then resumes the previous phase. The time of an exchange is also that
  /// of its purpose. No effect without a profile.
  class Guard {
   public:
    Guard(Profile* profile, Phase phase, TrafficKind purpose = TrafficKind::other) : profile_(profile) {
      if (!profile_) return;
      before_ = profile_->current_;
      profile_->switch_to({phase, purpose});
      if (profile_->trace_) event_ = profile_->trace_->begin(EventKind::phase, to_string(phase), profile_->marked());
    }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;
    ~Guard() {
      if (!profile_) return;
      profile_->switch_to(before_);
      if (profile_->trace_) profile_->trace_->end(event_, profile_->marked());
    }

   private:
    Profile* profile_;
    Activity before_;
    Trace::Handle event_ = Trace::not_kept;
  };

  /// Seconds spent in `phase` so far, nested phases excluded.
  [[nodiscard]] double seconds(Phase phase) {
    switch_to(current_);
    return seconds_[static_cast<std::size_t>(phase)];
  }
  /// Counts of what this rank has sent so far, and the seconds of the exchanges, which add up to Phase::exchange.
  [[nodiscard]] const TrafficByKind& traffic() {
    switch_to(current_);
    return traffic_;
  }
  [[nodiscard]] Traffic& traffic(TrafficKind kind) { return traffic_[static_cast<std::size_t>(kind)]; }
  /// Null if no trace is recorded.
  [[nodiscard]] Trace* trace() const { return trace_; }

 private:
  using Clock = std::chrono::steady_clock;

  /// Adds the time since the last call to what ran, and starts `next`.
  void switch_to(Activity next) {
    const auto now = Clock::now();
    const double passed = std::chrono::duration<double>(now - mark_).count();
    seconds_[static_cast<std::size_t>(current_.phase)] += passed;
    if (current_.phase == Phase::exchange) traffic(current_.purpose).seconds += passed;
    mark_ = now;
    current_ = next;
  }
  [[nodiscard]] Trace::Time marked() const { return Trace::to_time(mark_); }

  std::array<double, num_phases> seconds_{};
  TrafficByKind traffic_{};
  Activity current_;
  Clock::time_point mark_;
  Trace* trace_;
  Trace::Handle whole_ = Trace::not_kept;
};

}  // namespace wavegrid
