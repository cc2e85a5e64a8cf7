// Statistics of repeated measurements.
#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

#include <wavegrid/mpi/comm.hpp>

namespace wavegrid::bench {

using Clock = std::chrono::steady_clock;

[[nodiscard]] inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

[[nodiscard]] inline double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

/// Between the smallest and the largest, as the tuner reports it.
[[nodiscard]] inline double spread(const std::vector<double>& values) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return *most - *least;
}

/// How many calls make a sample that does not feel the clock and the barriers, from the seconds that one takes on
/// rank 0; at most `most`. Collective, the same on all ranks.
[[nodiscard]] inline Index calls_for(const Comm& comm, double seconds, Index most) {
  constexpr double sample_seconds = 0.02;
  Index calls = std::clamp(static_cast<Index>(sample_seconds / std::max(seconds, 1e-9)) + 1, Index{1}, most);
  comm.broadcast(std::span<Index>(&calls, 1));
  return calls;
}

}  // namespace wavegrid::bench
