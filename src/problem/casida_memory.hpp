// The memory that Casida's equation needs.
#pragma once

#include <algorithm>
#include <cmath>

#include <wavegrid/problem/problem.hpp>

namespace wavegrid {

/// Bytes of a rank with so many points of the fields: the densities of all pairs of bands, twice, a block of
/// potentials, and four matrices. Pure.
[[nodiscard]] inline double casida_bytes(const Problem& problem, double points) {
  const double electrons = count_electrons(problem.crystal, problem.pseudopotentials) - problem.charge;
  const double occupied = std::ceil(0.5 * electrons), bands = static_cast<double>(problem.bands);
  const double pairs = problem.spins * occupied * std::max(0.0, bands - occupied);
  constexpr double potentials = 2 * 64;
  return sizeof(double) * (points * (2 * pairs + potentials) + 4 * pairs * pairs);
}

}  // namespace wavegrid
