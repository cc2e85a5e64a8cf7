#include <string>

#include <wavegrid/base/error.hpp>
#include <wavegrid/ions/cluster.hpp>

namespace wavegrid {

ClusterEnergy cluster_energy(const std::vector<Vec3>& positions, const std::vector<double>& charges) {
  if (positions.size() != charges.size())
    throw bad_input("there are " + std::to_string(positions.size()) + " positions for " +
                    std::to_string(charges.size()) + " charges; give one for each");
  ClusterEnergy sum{.forces = std::vector<Vec3>(positions.size(), Vec3{0, 0, 0})};
  for (std::size_t i = 0; i < positions.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const Vec3 between = positions[i] - positions[j];
      const double distance = norm(between);
      if (distance == 0)
        throw bad_input("atoms " + std::to_string(j + 1) + " and " + std::to_string(i + 1) + " are at the same place");
      const double energy = charges[i] * charges[j] / distance;
      const Vec3 force = (energy / (distance * distance)) * between;
      sum.energy += energy;
      sum.forces[i] = sum.forces[i] + force;
      sum.forces[j] = sum.forces[j] - force;
    }
  return sum;
}

}  // namespace wavegrid
