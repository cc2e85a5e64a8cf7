// Exchanges with a few neighbours: latency and overhead by transport and size.
#pragma once

#include <wavegrid/exchange/exchange_plan.hpp>

#include "common/statistics.hpp"

namespace wavegrid::bench {

/// Times of one exchange, seconds, of the slowest rank: medians.
struct NeighbourTimes {
  double latency = 0;   ///< from start to end, nothing computed between
  double overhead = 0;  ///< of the processor: start and wait around a computation that takes as long as the latency
};

/// Every rank sends the ranks at distance 1, 2, ... on both sides, `neighbours` in all, the same number of bytes.
class NeighbourExchange {
 public:
  NeighbourExchange(const Comm& comm, int neighbours, Index most_bytes);
  [[nodiscard]] NeighbourTimes measure(Transport transport, Index bytes, int repeats);
  [[nodiscard]] int neighbours() const { return neighbours_; }

 private:
  int neighbours_;
  ExchangePlan plan_;
  std::vector<double> source_, target_;
};

}  // namespace wavegrid::bench
