#include <algorithm>
#include <string>
#include <vector>

#include <wavegrid/base/error.hpp>
#include <wavegrid/crystal/find_space_group.hpp>
#include <wavegrid/crystal/magnetic_group.hpp>

namespace wavegrid {

namespace {

/// Whether an operation maps the moments onto themselves.
bool keeps_moments(const SymmetryOperation& operation, const Lattice& lattice, const std::vector<AtomImage>& images,
                   std::span<const Vec3> moments) {
  const Mat3 r = moment_rotation(operation, lattice.vectors());
  for (std::size_t a = 0; a < moments.size(); ++a) {
    const Vec3 image{dot(r[0], moments[a]), dot(r[1], moments[a]), dot(r[2], moments[a])};
    if (norm(image - moments[static_cast<std::size_t>(images[a].atom)]) > same_moment_vector) return false;
  }
  return true;
}

}  // namespace

SpaceGroup magnetic_group(const SpaceGroup& group, const Crystal& crystal, std::span<const Vec3> moments) {
  if (moments.size() != crystal.atoms.size())
    throw internal_error(std::to_string(moments.size()) + " moments for " + std::to_string(crystal.num_atoms()) +
                         " atoms");
  const bool has_none = std::all_of(moments.begin(), moments.end(), [](const Vec3& m) { return norm2(m) == 0; });
  std::vector<SymmetryOperation> kept;
  for (SymmetryOperation operation : group.operations()) {
    const std::vector<AtomImage> images = atom_images(crystal, operation);
    for (const bool time_reversed : {false, true}) {
      operation.time_reversed = time_reversed;
      if (!keeps_moments(operation, crystal.lattice, images, moments)) continue;
      kept.push_back(operation);
      if (!has_none) break;
    }
  }
  return group.magnetic_subgroup(std::move(kept));
}

}  // namespace wavegrid
