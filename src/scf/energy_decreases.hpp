// How far the energy of a minimisation will still fall, from how far its last steps have taken it.
//
// The decreases of conjugate gradients shrink geometrically on average, unevenly from step to step: with the sums s_1
// of the last three and s_0 of the three before, q = s_1 / s_0, the steps to come add s_1 q / (1 - q). The sum of a few
// decreases as a measure of the error before them: M. R. Hestenes, E. Stiefel, J. Res. Natl. Bur. Stand. 49, 409
// (1952), 10.6028/jres.049.044.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace wavegrid {

/// The decreases of an energy, Ha. Pure.
class EnergyDecreases {
 public:
  void add(double decrease) { decreases_.push_back(decrease); }
  void clear() { decreases_.clear(); }

  /// An estimate of what is left, Ha; 0 where there are too few steps for one.
  [[nodiscard]] double remaining() const {
    constexpr std::ptrdiff_t window = 3;
    constexpr double slowest = 0.9;  // a sum that does not fall says no more than that much is left
    if (static_cast<std::ptrdiff_t>(decreases_.size()) < 2 * window) return 0;
    const double last = std::accumulate(decreases_.end() - window, decreases_.end(), 0.0);
    const double before = std::accumulate(decreases_.end() - 2 * window, decreases_.end() - window, 0.0);
    if (!(last > 0)) return 0;
    const double q = before > 0 ? std::min(last / before, slowest) : slowest;
    return last * q / (1 - q);
  }

 private:
  std::vector<double> decreases_;
};

}  // namespace wavegrid
