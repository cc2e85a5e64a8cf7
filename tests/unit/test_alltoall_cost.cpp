// The estimates of Gao et al. for one transpose of a transform among p processes in pairwise exchanges, Comput. Phys.
// Commun. (2016), Eqs. (4) and (5), are limits of the loads that are counted from partitions: equal messages among all.
#include <gtest/gtest.h>

#include <cmath>

#include <wavegrid/basis/g_sphere.hpp>
#include <wavegrid/layout/message_statistics.hpp>

#include "spheres.hpp"

namespace wavegrid::test_alltoall_cost {
namespace {

/// What a transpose moves, and the network that moves it: mu, N_FFT, alpha and beta of the paper.
struct AlltoallCosts {
  double element_bytes = 16;  ///< mu
  double elements = 0;        ///< N_FFT, of all processes
  double latency = 0;         ///< alpha, seconds per message
  double bandwidth = 0;       ///< beta, bytes per second
};

/// Seconds of an all-to-all of all p processes (one transpose of the greedy partition): Eq. (4).
double global_alltoall(const AlltoallCosts& costs, double p) {
  return (p - 1) * (costs.latency + costs.element_bytes * costs.elements / (costs.bandwidth * p * p));
}

/// Seconds of all-to-alls inside groups of sqrt(p) processes (one of the two transposes of the others): Eq. (5).
double grouped_alltoall(const AlltoallCosts& costs, double p) {
  const double group = std::sqrt(p);
  return (group - 1) * (costs.latency + costs.element_bytes * costs.elements / (costs.bandwidth * p * group));
}

constexpr double latency = 3e-6, bandwidth = 2e9;

/// Seconds of the busiest rank.
double counted(const TransposeStatistics& transpose) {
  return static_cast<double>(transpose.max_messages) * latency + static_cast<double>(transpose.max_bytes) / bandwidth;
}

AlltoallCosts costs_of(int n) {
  return {.elements = static_cast<double>(n) * n * n, .latency = latency, .bandwidth = bandwidth};
}

TEST(AlltoallCost, OfAllRanksIsThatOfACubeInPlanes) {
  constexpr int n = 24;
  const GSphere cube = GSphere::box(Lattice({{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}), {n, n, n});
  for (const int p : {2, 4, 8, 12}) {
    const Partition partition = make_partition(Scheme::greedy, cube.counts(), n, p);
    const double transpose = counted(message_statistics(partition, cube.counts(), n).first);
    EXPECT_NEAR(global_alltoall(costs_of(n), p) / transpose, 1, 1e-12) << p;
  }
}

TEST(AlltoallCost, OfGroupsIsThatOfACubeOnSquareNumbersOfRanks) {
  constexpr int n = 24;
  const GSphere cube = GSphere::box(Lattice({{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}), {n, n, n});
  for (const int p : {4, 9, 16, 36}) {
    const Partition partition = make_partition(Scheme::cyclic, cube.counts(), n, p);
    const MessageStatistics messages = message_statistics(partition, cube.counts(), n);
    for (const TransposeStatistics& transpose : {messages.first, messages.second})
      EXPECT_NEAR(grouped_alltoall(costs_of(n), p) / counted(transpose), 1, 1e-12) << p;
  }
}

/// Groups pay where latency counts, one transpose where bandwidth does.
TEST(AlltoallCost, TwoTransposesInGroupsWinForManyRanks) {
  const AlltoallCosts costs = costs_of(48);
  EXPECT_LT(global_alltoall(costs, 4), 2 * grouped_alltoall(costs, 4));
  EXPECT_GT(global_alltoall(costs, 256), 2 * grouped_alltoall(costs, 256));
}

}  // namespace
}  // namespace wavegrid::test_alltoall_cost
