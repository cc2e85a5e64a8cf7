// Mixing of the potential in the self-consistent loop of the atomic solver.
#pragma once

#include "atoms/solver/radial_grid.hpp"

namespace wavegrid {

/// Anderson mixing with one step of history, under the weight r^2 rho: D. G. Anderson, J. ACM 12, 547 (1965),
/// 10.1145/321296.321305.
class PotentialMixer {
 public:
  /// `grid` must outlive this object.
  explicit PotentialMixer(const RadialGrid& grid) : grid_(grid) {}

  /// The next input potential from the last one, what it led to, and the density in between.
  [[nodiscard]] RadialValues next(const RadialValues& input, const RadialValues& output, const RadialValues& rho);

 private:
  const RadialGrid& grid_;
  RadialValues last_input_, last_residual_;
};

}  // namespace wavegrid
