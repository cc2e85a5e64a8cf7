// Where the time goes: exclusive wall time per phase. Nested phases are subtracted from the outer one.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <utility>

namespace wavegrid {

enum class Phase { other, fft, exchange, linear_algebra, nonlocal };
inline constexpr std::size_t num_phases = 5;

/// A stopwatch with one hand: at any time exactly one phase runs. One object per calculation, not thread-safe.
class Profile {
 public:
  Profile() : mark_(Clock::now()) {}

  /// Runs a phase until the guard dies, then resumes the phase before. Without a profile it does nothing.
  class Guard {
   public:
    Guard(Profile* profile, Phase phase) : profile_(profile), before_(profile ? profile->enter(phase) : Phase::other) {}
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;
    ~Guard() {
      if (profile_) profile_->enter(before_);
    }

   private:
    Profile* profile_;
    Phase before_;
  };

  /// Seconds spent in `phase` so far, nested phases excluded.
  [[nodiscard]] double seconds(Phase phase) {
    enter(current_);
    return seconds_[static_cast<std::size_t>(phase)];
  }

 private:
  using Clock = std::chrono::steady_clock;

  Phase enter(Phase phase) {
    const auto now = Clock::now();
    seconds_[static_cast<std::size_t>(current_)] += std::chrono::duration<double>(now - mark_).count();
    mark_ = now;
    return std::exchange(current_, phase);
  }

  std::array<double, num_phases> seconds_{};
  Phase current_ = Phase::other;
  Clock::time_point mark_;
};

}  // namespace wavegrid
