// The line search of direct minimisation: a parabola through one trial energy.
#pragma once

#include <algorithm>

namespace wavegrid {

/// The length of the lowest energy along a direction, from the slope at 0 (negative, Ha per length) and the rise
/// E(trial)
/// - E(0), Ha, as the minimum of a parabola; at most four trial lengths, and that where it has no minimum. Pure.
[[nodiscard]] inline double parabola_minimum(double slope, double trial, double rise) {
  constexpr double max_step = 4.0;
  const double curvature = rise / trial - slope;  // times half the trial length
  if (!(curvature > -0.5 * slope / max_step)) return max_step * trial;
  return -0.5 * slope / curvature * trial;
}

}  // namespace wavegrid
