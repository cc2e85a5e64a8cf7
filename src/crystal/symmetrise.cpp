#include <span>
#include <string>

#include <wavegrid/base/error.hpp>
#include <wavegrid/crystal/find_space_group.hpp>
#include <wavegrid/crystal/symmetrise.hpp>

namespace wavegrid {

namespace {

Vec3 times(const Mat3& r, const Vec3& f) { return {dot(r[0], f), dot(r[1], f), dot(r[2], f)}; }

/// The average over some operations.
std::vector<Vec3> average(std::span<const SymmetryOperation> operations, const Crystal& crystal,
                          const std::vector<Vec3>& forces) {
  std::vector<Vec3> sum(forces.size(), Vec3{});
  for (const SymmetryOperation& operation : operations) {
    const Mat3 r = cartesian_rotation(operation.rotation, crystal.lattice.vectors());
    const std::vector<AtomImage> images = atom_images(crystal, operation);
    for (std::size_t a = 0; a < forces.size(); ++a) {
      Vec3& to = sum[static_cast<std::size_t>(images[a].atom)];
      to = to + times(r, forces[a]);
    }
  }
  for (Vec3& force : sum) force = (1.0 / static_cast<double>(operations.size())) * force;
  return sum;
}

}  // namespace

std::vector<Vec3> symmetrise_forces(const SpaceGroup& group, const Crystal& crystal, const std::vector<Vec3>& forces) {
  if (forces.size() != crystal.atoms.size())
    throw internal_error(std::to_string(forces.size()) + " forces for " + std::to_string(crystal.num_atoms()) +
                         " atoms");
  if (group.is_identity()) return forces;
  // First over the translations; the result is then the same for all operations of one rotation.
  return average(group.one_per_rotation(), crystal, average(group.translations(), crystal, forces));
}

Mat3 symmetrise_stress(const SpaceGroup& group, const Lattice& lattice, const Mat3& stress) {
  Mat3 sum{};
  for (int o = 0; o < group.num_rotations(); ++o) {
    const Mat3 r = cartesian_rotation(group.rotation_operation(o).rotation, lattice.vectors());
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) sum[i][j] += dot(r[i], times(stress, r[j]));
  }
  for (Vec3& row : sum) row = (1.0 / group.num_rotations()) * row;
  return sum;
}

}  // namespace wavegrid
