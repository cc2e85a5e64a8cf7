// Measurements on the calling thread's own clock, which stands still while other programs have the core.
#pragma once

#include <functional>
#include <span>
#include <vector>

namespace wavegrid {

/// Seconds for which the calling thread has been running.
[[nodiscard]] double thread_seconds();

/// How long least_times() measures.
struct TimingOptions {
  double sample = 2e-5;  ///< seconds of a sample at least: one call or more
  double total = 4e-3;   ///< seconds of all samples; at least `least` of each candidate
  int least = 5, most = 40;
};

/// Seconds of one call of each candidate: the least of samples that are taken in turn, so that a slow moment or a
/// change of the clock's rate strikes all alike. Each is called once before.
[[nodiscard]] std::vector<double> least_times(std::span<const std::function<void()>> candidates,
                                              const TimingOptions& options = {});

}  // namespace wavegrid
