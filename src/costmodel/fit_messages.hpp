// Latency and bandwidth of a network from measured messages. Pure.
#pragma once

#include <span>

namespace wavegrid {

/// A message from call to arrival.
struct MessageTime {
  double bytes = 0;
  double seconds = 0;
};

/// seconds = latency + bytes / bandwidth: alpha and 1/beta of Gao et al. 2016, Eq. (4).
struct MessageModel {
  double latency = 0;    ///< seconds
  double bandwidth = 0;  ///< bytes per second
  [[nodiscard]] double seconds(double bytes) const { return latency + bytes / bandwidth; }
};

/// The model with the least sum of squares of relative errors. Throws bad_input for samples of fewer than two sizes,
/// for times that are not positive, and if the times do not grow with the size.
[[nodiscard]] MessageModel fit_messages(std::span<const MessageTime> samples);

}  // namespace wavegrid
