// The error of an energy that is caused by the errors of its bands.
//
// A band with a component along a state outside the set, D higher in energy, has |R|^2 ~ D^2 and an error ~ D = |R|^2 /
// D. Most of a residual lies along states that are far away (BandOperator::value_errors). The highest bands of a set
// have states close above them, which no other band keeps them away from: at most five times the distance to the
// highest band is assumed there for D, and at least |R| (an eigenvalue lies within |R| of each Ritz value). Where the
// highest band is occupied the gap above it is unknown.
#pragma once

#include <vector>

#include <wavegrid/eigen/eigen_state.hpp>
#include <wavegrid/eigen/locking.hpp>

namespace wavegrid {

/// Of the bands of one k-point and spin. Pure.
class BandErrors {
 public:
  /// `values`: Ritz values, ascending, Ha; `occupations`: electrons of each band, with the weight of the k-point.
  BandErrors(const std::vector<double>& values, const std::vector<double>& occupations, Residuals residuals);

  /// Of all bands, Ha.
  [[nodiscard]] double total() const;

  /// |R|^2 at which a band adds `each` (Ha) to it; infinite for empty bands.
  [[nodiscard]] LockBounds bounds(double each) const;

  [[nodiscard]] const std::vector<double>& squared_residuals() const { return residuals_.squares; }

 private:
  Residuals residuals_;
  std::vector<double> errors_;  ///< of the energy, by each band, Ha
};

}  // namespace wavegrid
