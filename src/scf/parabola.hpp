// The line search of direct minimisation: a parabola through one trial energy.
#pragma once

#include <algorithm>

namespace wavegrid {

/// The length of the lowest energy along a direction, from the slope at 0 (negative, Ha per length) and the rise
/// E(trial)
/// - E(0), Ha, as the minimum of a parabola; at most four trial lengths, and that where it has no minimum. Pure.
[[nodiscard]] inline double parabola_minimum(double slope, double trial, double rise) {
  constexpr double furthest = 4.0;
  const double bend = rise / trial - slope;  // the curvature times half the trial length
  if (!(bend > -0.5 * slope / furthest)) return furthest * trial;
  return -0.5 * slope / bend * trial;
}

}  // namespace wavegrid
