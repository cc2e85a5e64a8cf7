// How far band-limited functions reach.
#pragma once

#include <vector>

#include <wavegrid/atom/numerical_orbitals.hpp>

namespace wavegrid {

/// The smallest radius, bohr, in steps of 0.25 bohr, beyond which none of the radial functions, limited to waves with
/// q^2/2 <= ecut (Ha), has more than a share `outside` of its squared norm; `limit` if there is none below. Pure.
[[nodiscard]] double orbital_radius(const std::vector<NumericalOrbital>& orbitals, double ecut, double outside,
                                    double limit);

/// The share of the squared norm of one such function that is beyond a radius (bohr). Pure.
[[nodiscard]] double share_outside(const NumericalOrbital& orbital, double ecut, double radius);

}  // namespace wavegrid
