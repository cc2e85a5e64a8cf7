#include <cmath>

#include <wavegrid/calculation/net_torque.hpp>

namespace wavegrid {

namespace {

/// omega; of atoms on a line, about which there is no torque, without a part along it.
Vec3 rotation_with(const Mat3& inertia, const Vec3& torque) {
  constexpr double straight = 1e-6;
  const double mean = (inertia[0][0] + inertia[1][1] + inertia[2][2]) / 3;
  if (mean == 0) return {0, 0, 0};
  const double volume = determinant(inertia);
  if (volume < straight * mean * mean * mean) return (1 / (1.5 * mean)) * torque;
  const Mat3 minors{cross(inertia[1], inertia[2]), cross(inertia[2], inertia[0]), cross(inertia[0], inertia[1])};
  return (1 / volume) * (torque * minors);
}

}  // namespace

Vec3 take_off_torque(const std::vector<Vec3>& positions, std::vector<Vec3>& forces) {
  Vec3 middle{0, 0, 0}, torque{0, 0, 0};
  for (const Vec3& r : positions) middle = middle + (1.0 / static_cast<double>(positions.size())) * r;
  Mat3 inertia{};
  for (std::size_t a = 0; a < positions.size(); ++a) {
    const Vec3 r = positions[a] - middle;
    torque = torque + cross(r, forces[a]);
    for (std::size_t i = 0; i < 3; ++i) {
      inertia[i] = inertia[i] - r[i] * r;
      inertia[i][i] += norm2(r);
    }
  }
  const Vec3 omega = rotation_with(inertia, torque);
  for (std::size_t a = 0; a < positions.size(); ++a) forces[a] = forces[a] - cross(omega, positions[a] - middle);
  return torque;
}

}  // namespace wavegrid
