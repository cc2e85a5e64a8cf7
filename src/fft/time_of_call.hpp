// Short measurements, by which the faster of two ways is chosen.
#pragma once

#include <algorithm>
#include <chrono>
#include <limits>

namespace wavegrid {

/// Seconds of one call: the shortest of several samples, each long enough for the clock.
template <class Call>
[[nodiscard]] double time_of_call(const Call& call) {
  using Clock = std::chrono::steady_clock;
  constexpr int samples = 5, calls = 8;
  double least = std::numeric_limits<double>::max();
  for (int i = 0; i < samples; ++i) {
    const auto begin = Clock::now();
    for (int j = 0; j < calls; ++j) call();
    least = std::min(least, std::chrono::duration<double>(Clock::now() - begin).count());
  }
  return least / calls;
}

}  // namespace wavegrid
