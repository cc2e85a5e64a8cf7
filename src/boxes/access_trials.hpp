// Which way to get functions of other ranks is the faster one, by the time of visits in the run.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include <wavegrid/boxes/function_store.hpp>

namespace wavegrid {

/// Of the first visits after values have been set, which want the same functions again and again: each way twice, in
/// turn, since the first visits of each take longer. Members are local unless they say otherwise; all ranks have the
/// same.
class AccessTrials {
 public:
  AccessTrials(FunctionAccess wanted, int ranks)
      : access_(wanted == FunctionAccess::measured ? FunctionAccess::window : wanted),
        left_(wanted == FunctionAccess::measured && ranks > 1 ? 2 * each : 0) {}

  /// Of the present visits.
  [[nodiscard]] FunctionAccess access() const { return access_; }
  /// Whether the time of the next visits counts.
  [[nodiscard]] bool measures() const { return left_ > 0 && is_fresh_; }

  /// Values are set. Whether the access has changed.
  [[nodiscard]] bool next() {
    is_fresh_ = true;
    return std::exchange(access_, next_) != next_;
  }

  /// The time of visits on this rank, and whether it got functions of others; visits of no rank that did do not count.
  /// Collective.
  void add(const Comm& comm, double seconds, bool has_fetched) {
    double most[] = {seconds, has_fetched ? 1.0 : 0.0};
    comm.max(std::span<double>(most));
    is_fresh_ = false;
    if (most[1] == 0.0) return;
    double& least = seconds_[place(access_)];
    least = least > 0 ? std::min(least, most[0]) : most[0];
    const auto other = access_ == FunctionAccess::window ? FunctionAccess::messages : FunctionAccess::window;
    if (--left_ > 0)
      next_ = other;
    else if (seconds_[place(other)] < seconds_[place(access_)])
      next_ = other;
  }

  void report(FunctionTraffic& traffic) const {
    traffic.access = access_;
    traffic.window_seconds = seconds_[place(FunctionAccess::window)];
    traffic.message_seconds = seconds_[place(FunctionAccess::messages)];
  }

 private:
  static constexpr int each = 2;
  static std::size_t place(FunctionAccess access) { return access == FunctionAccess::messages ? 1 : 0; }

  FunctionAccess access_, next_ = access_;
  int left_;  ///< visits to be measured
  bool is_fresh_ = false;
  std::array<double, 2> seconds_{};  ///< the least; 0: none
};

}  // namespace wavegrid
