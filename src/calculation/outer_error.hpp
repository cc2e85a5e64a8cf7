// The error that the outer loop of exact exchange leaves.
//
// Each loop minimises with E_x's linear form at the bands before (exact_exchange.hpp), which differs from E_x[P] by
// d = 1/2 <P - P0, K (P - P0)>. Where P - P0 falls by the factor a from loop to loop, d falls by a^2, and what E_x[P]
// is above its value at the end is about d a/(1 - a) (decision 0036).
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

namespace wavegrid {

/// Estimates the error of an outer loop. Pure.
class OuterError {
 public:
  /// `linear`: E_x of its bands in the exchange of the bands before, `exact`: that of these bands, Ha. `rounding`: what
  /// the precision of either may change; d counts as no less, and the d that follows one of this size says nothing of
  /// a.
  void add(double linear, double exact, double rounding) {
    constexpr double expected = 0.2, least = 0.05, most = 0.9;  // of a
    const double d = std::max(std::abs(linear - exact), rounding);
    const double ratio = d_ > 0 ? std::clamp(std::sqrt(d / d_), least, most) : expected;
    ratio_ = is_rounding_ ? std::max(ratio, expected) : ratio;
    is_rounding_ = rounding > 0 && d <= rounding;
    d_ = d;
  }
  /// Of the energy with E_x of the last bands, Ha.
  [[nodiscard]] double estimate() const { return d_ * ratio_ / (1 - ratio_); }
  /// Of the next loop.
  [[nodiscard]] double next() const { return ratio_ * ratio_ * estimate(); }
  /// Whether the last d is more than half of the one before.
  [[nodiscard]] bool is_slow() const { return ratio_ * ratio_ > 0.5; }
  /// d of the loop after the next, Ha; none before the first one.
  [[nodiscard]] std::optional<double> difference_after_next() const {
    return d_ > 0 ? std::optional(std::pow(ratio_, 4) * d_) : std::nullopt;
  }

 private:
  double d_ = 0, ratio_ = 0;
  bool is_rounding_ = false;  ///< d_
};

}  // namespace wavegrid
