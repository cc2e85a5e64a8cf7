// The error of a loop's energy from how it has fallen, where the estimates of earlier steps were too small.
//
// A step whose energy is F_j, with an estimate e_j of its error, had at least the error F_j - F_(j+1). By how much that
// exceeds e_j, the next estimates are likely to be too small as well: they are multiplied by the largest ratio of the
// last two steps. Where the energy falls slowly, as by a ratio q from step to step, what is left is the last change
// times q / (1 - q); A. C. Aitken, Proc. R. Soc. Edinburgh 46, 289 (1927), 10.1017/S0370164600022070.
#pragma once

#include <algorithm>
#include <cmath>
#include <deque>

namespace wavegrid {

/// Energies and error estimates of the last steps, Ha. Pure.
class ObservedDecreases {
 public:
  /// A step that is over.
  void add(double energy, double estimate) {
    steps_.push_back({energy, estimate});
    if (steps_.size() > 2) steps_.pop_front();
  }

  /// The estimate for a step that follows, with what the steps before say.
  [[nodiscard]] double corrected(double energy, double estimate) const {
    constexpr double slow = 0.3, slowest = 0.9;
    double ratio = 1, earlier_fall = 0, fall = 0;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      earlier_fall = fall;
      fall = std::abs((i + 1 < steps_.size() ? steps_[i + 1].energy : energy) - steps_[i].energy);
      if (steps_[i].estimate > 0) ratio = std::max(ratio, fall / steps_[i].estimate);
    }
    const double q = earlier_fall > 0 ? std::min(fall / earlier_fall, slowest) : 0;
    return std::max(ratio * estimate, q > slow ? fall * q / (1 - q) : 0.0);
  }

 private:
  struct Step {
    double energy, estimate;
  };
  std::deque<Step> steps_;
};

}  // namespace wavegrid
