// How far the energy of a minimisation will still fall, from how far its last steps have taken it.
//
// The falls of conjugate gradients decrease geometrically on average, unevenly from step to step: with the sums s_1 of
// the last three and s_0 of the three before, q = s_1 / s_0, the steps to come add s_1 q / (1 - q). The sum of a few
// falls as a measure of the error before them: M. R. Hestenes, E. Stiefel, J. Res. Natl. Bur. Stand. 49, 409 (1952),
// 10.6028/jres.049.044.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace wavegrid {

/// The falls of an energy, Ha. Pure.
class EnergyFalls {
 public:
  void add(double fall) { falls_.push_back(fall); }
  void clear() { falls_.clear(); }

  /// An estimate of what is left, Ha; 0 where there are too few steps for one.
  [[nodiscard]] double rest() const {
    constexpr std::ptrdiff_t window = 3;
    constexpr double slowest = 0.9;  // a sum that does not fall says no more than that much is left
    if (static_cast<std::ptrdiff_t>(falls_.size()) < 2 * window) return 0;
    const double last = std::accumulate(falls_.end() - window, falls_.end(), 0.0);
    const double before = std::accumulate(falls_.end() - 2 * window, falls_.end() - window, 0.0);
    if (!(last > 0)) return 0;
    const double q = before > 0 ? std::min(last / before, slowest) : slowest;
    return last * q / (1 - q);
  }

 private:
  std::vector<double> falls_;
};

}  // namespace wavegrid
