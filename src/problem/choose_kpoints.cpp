#include <wavegrid/crystal/find_space_group.hpp>
#include <wavegrid/crystal/irreducible_kpoints.hpp>
#include <wavegrid/crystal/magnetic_group.hpp>
#include <wavegrid/crystal/symmetric_grid.hpp>
#include <wavegrid/problem/choose_kpoints.hpp>

namespace wavegrid {

namespace {

/// Atoms within this distance (bohr) of a symmetric position count as symmetric: files round positions to five digits.
/// The energy is stationary with respect to displacements that break the symmetry, so that the error is of second
/// order, 1e-9 Ha; forces are those of the symmetric crystal.
constexpr double symmetry_tolerance = 1e-4;

/// The operations of a crystal that are compatible with all grids.
CompatibleSubgroup compatible_subgroup(const std::vector<Int3>& grids, const Crystal& crystal,
                                       const std::vector<double>& moments, const std::vector<Vec3>& vectors) {
  CompatibleSubgroup all{find_space_group(crystal, moments, symmetry_tolerance), ""};
  if (!vectors.empty()) all.group = magnetic_group(all.group, crystal, vectors);
  for (const Int3& grid : grids) {
    CompatibleSubgroup on_grid = compatible_subgroup(grid, all.group);
    all.group = std::move(on_grid.group);
    if (!on_grid.message.empty()) all.message += (all.message.empty() ? "" : "; ") + on_grid.message;
  }
  return all;
}

}  // namespace

KPointChoice choose_kpoints(const Crystal& crystal, const std::vector<double>& moments, const std::vector<Int3>& grids,
                            const KMesh& mesh, bool use_symmetry, const std::vector<Vec3>& vectors) {
  CompatibleSubgroup compatible;
  if (use_symmetry) compatible = compatible_subgroup(grids, crystal, moments, vectors);
  IrreducibleKPoints reduced = irreducible(mesh, compatible.group, vectors.empty());
  if (!compatible.message.empty()) reduced.sentence += "; " + compatible.message;
  return {std::move(reduced.kpoints), std::move(reduced.group), std::move(reduced.sentence)};
}

SpaceGroup symmetry_on_grids(const Crystal& crystal, const std::vector<double>& moments, const std::vector<Int3>& grids,
                             const std::vector<Vec3>& vectors) {
  return compatible_subgroup(grids, crystal, moments, vectors).group;
}

int count_lost_rotations(const Crystal& crystal, const std::vector<double>& moments, const KMesh& mesh) {
  const SpaceGroup group = find_space_group(crystal, moments, symmetry_tolerance);
  return group.num_rotations() - mesh_symmetry(mesh, group, true).num_rotations();
}

bool has_whole_stars(const Crystal& crystal, const std::vector<double>& moments, const std::vector<KPoint>& points) {
  return has_whole_stars(points, find_space_group(crystal, moments, symmetry_tolerance));
}

Int3 grid_for_symmetry(const Crystal& crystal, const std::vector<double>& moments, const Int3& least) {
  return symmetric_grid(least, find_space_group(crystal, moments, symmetry_tolerance));
}

}  // namespace wavegrid
