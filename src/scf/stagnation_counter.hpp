// Counts steps in which an error does not fall to half.
#pragma once

#include <limits>

namespace wavegrid {

/// The steps since an error was below half of an earlier one. Pure.
class StagnationCounter {
 public:
  /// Counts a step with its error; the number of steps since it halved, 0 where it did now.
  int count(double error) {
    ++steps_;
    if (error < 0.5 * reference_) {
      reference_ = error;
      steps_ = 0;
    }
    return steps_;
  }
  [[nodiscard]] int steps() const { return steps_; }
  /// The last error that was half of the previous one.
  [[nodiscard]] double reference() const { return reference_; }
  /// Counts from here, after a change of the method.
  void reset() { steps_ = 0; }

 private:
  double reference_ = std::numeric_limits<double>::max();
  int steps_ = 0;
};

}  // namespace wavegrid
