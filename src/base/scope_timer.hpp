// Wall time of a scope.
#pragma once

#include <chrono>

namespace wavegrid {

/// Adds the duration of its scope to `seconds`.
class ScopeTimer {
 public:
  explicit ScopeTimer(double& seconds) : seconds_(seconds) {}
  ~ScopeTimer() { seconds_ += std::chrono::duration<double>(Clock::now() - began_).count(); }
  ScopeTimer(const ScopeTimer&) = delete;
  ScopeTimer& operator=(const ScopeTimer&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  double& seconds_;
  Clock::time_point began_ = Clock::now();
};

}  // namespace wavegrid
