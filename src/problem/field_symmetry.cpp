#include <algorithm>

#include <wavegrid/problem/field_symmetry.hpp>

namespace wavegrid {

namespace {

Vec3 rotated(const SymmetryOperation& operation, const Lattice& lattice, const Vec3& vector) {
  const Mat3 r = cartesian_rotation(operation.rotation, lattice.vectors());
  return {dot(r[0], vector), dot(r[1], vector), dot(r[2], vector)};
}

}  // namespace

std::vector<Vec3> field_directions(const Propagation& propagation) {
  std::vector<Vec3> all;
  if (propagation.kick) all.push_back(propagation.kick->momentum);
  for (const Laser& laser : propagation.lasers) all.push_back(laser.peak);
  return all;
}

bool keeps_fields(const SymmetryOperation& operation, const Lattice& lattice, const std::vector<Vec3>& fields) {
  constexpr double tolerance = 1e-6;  // of a field
  return !operation.time_reversed && std::ranges::all_of(fields, [&](const Vec3& field) {
    return norm(rotated(operation, lattice, field) - field) <= tolerance * norm(field);
  });
}

Vec3 symmetrise_vector(const SpaceGroup& group, const Lattice& lattice, const Vec3& vector, bool axial) {
  if (group.is_identity()) return vector;
  Vec3 sum{0, 0, 0};
  for (int r = 0; r < group.num_rotations(); ++r) {
    const SymmetryOperation operation = group.rotation_operation(r);
    const Mat3 of = cartesian_rotation(operation.rotation, lattice.vectors());
    const double sign = axial && dot(of[0], cross(of[1], of[2])) < 0 ? -1 : 1;
    sum = sum + sign * rotated(operation, lattice, vector);
  }
  return (1.0 / group.num_rotations()) * sum;
}

}  // namespace wavegrid
