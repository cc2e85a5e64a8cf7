// Estimates of Gao et al. for one transpose of a transform among p processes in pairwise exchanges: Comput. Phys.
// Commun. (2016), Eqs. (4) and (5), as printed. They hold where all messages are equal; TransformLoad counts those of a
// real partition.
#pragma once

#include <cmath>

namespace wavegrid {

/// What a transpose moves, and the network that moves it: mu, N_FFT, alpha and beta of the paper.
struct AlltoallCosts {
  double element_bytes = 16;  ///< mu
  double elements = 0;        ///< N_FFT, of all processes
  double latency = 0;         ///< alpha, seconds per message
  double bandwidth = 0;       ///< beta, bytes per second
};

/// Seconds of an all-to-all of all p processes (one transpose of the greedy partition): Eq. (4).
[[nodiscard]] inline double global_alltoall(const AlltoallCosts& costs, double p) {
  return (p - 1) * (costs.latency + costs.element_bytes * costs.elements / (costs.bandwidth * p * p));
}

/// Seconds of all-to-alls inside groups of sqrt(p) processes (one of the two transposes of the others): Eq. (5).
[[nodiscard]] inline double grouped_alltoall(const AlltoallCosts& costs, double p) {
  const double group = std::sqrt(p);
  return (group - 1) * (costs.latency + costs.element_bytes * costs.elements / (costs.bandwidth * p * group));
}

}  // namespace wavegrid
