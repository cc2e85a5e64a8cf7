#include <algorithm>
#include <cmath>
#include <limits>

#include <wavegrid/base/units.hpp>
#include <wavegrid/planewaves/potential_cut.hpp>

namespace wavegrid {

std::vector<char> inside_potential_cut(const PlaneWaves& box, const Int3& grid, double ecut) {
  // The face of the box at n/2 along axis i has the distance pi n / |a_i| from the origin.
  double radius = std::numeric_limits<double>::max();
  for (std::size_t i = 0; i < 3; ++i) radius = std::min(radius, units::pi * grid[i] / norm(box.lattice().vectors()[i]));
  const double g_max = std::min(radius, 2.0 * std::sqrt(2.0 * ecut));
  const double limit = 0.5 * g_max * g_max * (1.0 + 1e-10);
  std::vector<char> inside;
  inside.reserve(box.kinetic().size());
  for (const double kinetic : box.kinetic()) inside.push_back(kinetic <= limit);
  return inside;
}

}  // namespace wavegrid
