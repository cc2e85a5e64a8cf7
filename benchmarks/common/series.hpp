// Measurements of several competitors, taken in turn, so that a slow moment strikes all alike.
#pragma once

#include <functional>
#include <vector>

#include "common/statistics.hpp"

namespace wavegrid::bench {

/// Calls take(index) for every competitor in each repeat, in an order that rotates so that none always follows the
/// same one.
inline void in_turn(int repeats, std::size_t competitors, const std::function<void(std::size_t)>& take) {
  for (std::size_t repeat = 0; repeat < static_cast<std::size_t>(repeats); ++repeat)
    for (std::size_t i = 0; i < competitors; ++i) take((i + repeat) % competitors);
}

/// What is reported of one transport: seconds.
struct Figure {
  double median = 0;
  double spread = 0;  ///< between the fastest and the slowest sample
};

[[nodiscard]] inline Figure figure_of(const std::vector<double>& samples) { return {median(samples), spread(samples)}; }

/// Makes each sample that of the slowest rank. Collective.
inline void take_slowest(const Comm& comm, std::vector<double>& samples) { comm.max(std::span<double>(samples)); }

}  // namespace wavegrid::bench
