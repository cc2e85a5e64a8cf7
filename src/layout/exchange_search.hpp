// Balances the loads of bins by exchanging items: the search of the optimized partition, for planes in rows and for
// sticks in columns.
#pragma once

#include <vector>

#include <wavegrid/base/index.hpp>

namespace wavegrid {

/// Items of positive weight in bins, at least `least` and at most `most` of them in each bin.
struct Bins {
  std::vector<int> weight;  ///< of each item
  std::vector<int> bin;     ///< of each item
  int num_bins = 1;
  int least = 0;
  int most = 0;

  [[nodiscard]] std::vector<Index> loads() const;
};

/// Reduces the load of the heaviest bin step by step: one or two of its items are exchanged for at most two items of
/// another bin with a smaller total weight, such that the larger of the two loads becomes smallest. Ends if no exchange
/// reduces it, if the heaviest load is at most the mean rounded up, or after `max_steps`. Deterministic: among equal
/// exchanges the one of the lowest indices is taken.
void balance_loads(Bins& bins, int max_steps);

}  // namespace wavegrid
