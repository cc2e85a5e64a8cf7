// How strongly the directions of magnetic moments are held.
#pragma once

namespace wavegrid {

/// Of a moment that is not along its direction (terms/moment_constraint.hpp).
struct MomentPenalty {
  double strength = 0.5;  ///< Ha/mu_B^2, of the part across the direction
  double radius = 2;      ///< of the spheres around the atoms whose moments count, bohr
};

}  // namespace wavegrid
