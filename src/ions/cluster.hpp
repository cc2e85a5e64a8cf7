// Electrostatic energy of the ions of a molecule: point charges in free space.
//
//   E = sum_{i<j} q_i q_j / |r_i - r_j|
#pragma once

#include <vector>

#include <wavegrid/base/vec3.hpp>

namespace wavegrid {

struct ClusterEnergy {
  double energy = 0;         ///< Ha
  std::vector<Vec3> forces;  ///< -dE/dr_i, Ha/bohr
  Mat3 strain{};             ///< dE/d eps_ab of strains along the periodic directions, Ha, symmetric
};

/// Of charges (elementary charges) at Cartesian positions (bohr). Pure. Throws bad_input if the counts differ or
/// two positions are the same.
[[nodiscard]] ClusterEnergy cluster_energy(const std::vector<Vec3>& positions, const std::vector<double>& charges);

}  // namespace wavegrid
