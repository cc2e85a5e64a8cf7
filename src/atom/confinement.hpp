// The potential that keeps orbitals near their atom.
#pragma once

#include <cmath>

namespace wavegrid {

/// 0.1 Ha (r / radius)^8.
[[nodiscard]] inline double confinement(double r, double radius) { return 0.1 * std::pow(r / radius, 8); }

}  // namespace wavegrid
