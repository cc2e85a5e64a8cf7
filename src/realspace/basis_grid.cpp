#include <wavegrid/base/error.hpp>
#include <wavegrid/realspace/basis_grid.hpp>
#include <wavegrid/realspace/region_error.hpp>

namespace wavegrid {

namespace {

using Region = MeshBasis::Region;

MeshRegion region_of(const MeshBasis& basis, const Crystal& crystal) {
  switch (basis.region) {
    case Region::cell:
      break;
    case Region::spheres: {
      std::vector<Vec3> centres;
      for (int a = 0; a < crystal.num_atoms(); ++a) centres.push_back(crystal.cartesian(a));
      return MeshRegion::spheres(std::move(centres), basis.radius);
    }
    case Region::cylinder:
      return MeshRegion::cylinder(basis.centre, basis.axis, basis.radius, 0.5 * basis.length);
    case Region::box:
      return MeshRegion::box(basis.centre, 0.5 * basis.lengths);
  }
  return MeshRegion::cell();
}

}  // namespace

MeshGrid make_mesh_grid(const MeshBasis& basis, const Crystal& crystal, const Int3& counts) {
  if (const auto fault = region_error(basis, crystal)) throw bad_input(fault->text);
  return {crystal.lattice, counts, basis.periodic, region_of(basis, crystal)};
}

}  // namespace wavegrid
