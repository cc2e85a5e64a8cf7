// Evens out the loads of bins by exchanging items: the engine of the optimized partition, for planes in rows and for
// sticks in columns alike.
#pragma once

#include <vector>

#include "base/index.hpp"

namespace wavegrid {

/// Items of positive weight in bins, each bin holding at least `least` and at most `most` of them.
struct Bins {
  std::vector<int> weight;  ///< of each item
  std::vector<int> bin;     ///< of each item
  int num_bins = 1;
  int least = 0;
  int most = 0;

  [[nodiscard]] std::vector<Index> loads() const;
};

/// Lightens the heaviest bin step by step: up to two of its items go to another bin for up to two lighter ones, by the
/// exchange that leaves the larger of the two loads smallest. Ends where none helps, where the heaviest bin has no
/// more than the mean rounded up, or after `max_steps`. Deterministic: ties go to the lowest indices.
void balance_loads(Bins& bins, int max_steps);

}  // namespace wavegrid
