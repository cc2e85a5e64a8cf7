#include <algorithm>
#include <cmath>

#include <wavegrid/crystal/find_space_group.hpp>
#include <wavegrid/crystal/irreducible_kpoints.hpp>
#include <wavegrid/crystal/magnetic_group.hpp>
#include <wavegrid/crystal/symmetric_grid.hpp>
#include <wavegrid/problem/choose_kpoints.hpp>
#include <wavegrid/problem/field_symmetry.hpp>

namespace wavegrid {

namespace {

/// Atoms within this distance (bohr) of a symmetric position count as symmetric: files round positions to five digits.
/// The energy is stationary with respect to displacements that break the symmetry, so that the error is of second
/// order, 1e-9 Ha; forces are those of the symmetric crystal.
constexpr double symmetry_tolerance = 1e-4;

/// Whether an operation maps the periodic directions of a crystal onto themselves; where functions end, it must leave
/// free directions as they are, whose points it maps onto themselves then.
bool keeps_boundaries(const SymmetryOperation& operation, const Boundaries& boundaries) {
  for (std::size_t from = 0; from < 3; ++from)
    for (std::size_t to = 0; to < 3; ++to) {
      const bool from_free = !boundaries.periodic[from], to_free = !boundaries.periodic[to];
      const int element = operation.rotation[to][from];
      if (to_free && !from_free && element != 0) return false;
      if (boundaries.ends && from_free && element != (to == from ? 1 : 0)) return false;
    }
  for (std::size_t i = 0; i < 3 && boundaries.ends; ++i)
    if (!boundaries.periodic[i] && std::abs(operation.translation[i] - std::round(operation.translation[i])) > 1e-5)
      return false;
  return true;
}

/// The operations of a crystal that are compatible with all grids and with its boundaries.
CompatibleSubgroup compatible_subgroup(const std::vector<Int3>& grids, const Crystal& crystal,
                                       const std::vector<double>& moments, const std::vector<Vec3>& vectors,
                                       const Boundaries& boundaries) {
  CompatibleSubgroup all{
      find_space_group(crystal, moments, symmetry_tolerance).subgroup([&](const SymmetryOperation& operation) {
        return keeps_boundaries(operation, boundaries);
      }),
      ""};
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
                            const KMesh& mesh, bool use_symmetry, const std::vector<Vec3>& vectors,
                            const Boundaries& boundaries, const std::optional<std::vector<Vec3>>& fields) {
  CompatibleSubgroup compatible;
  if (use_symmetry)
    compatible = compatible_subgroup(grids, crystal, moments, vectors, boundaries);
  else if (std::all_of(vectors.begin(), vectors.end(), [](const Vec3& m) { return norm2(m) == 0; }) && !vectors.empty())
    compatible.group = magnetic_group(compatible.group, crystal, vectors);  // time reversal: moments stay zero
  if (fields)
    compatible.group = compatible.group.subgroup(
        [&](const SymmetryOperation& operation) { return keeps_fields(operation, crystal.lattice, *fields); });
  IrreducibleKPoints reduced = irreducible(mesh, compatible.group, vectors.empty() && !fields);
  if (!compatible.message.empty()) reduced.sentence += "; " + compatible.message;
  return {std::move(reduced.kpoints), std::move(reduced.group), std::move(reduced.sentence)};
}

SpaceGroup symmetry_on_grids(const Crystal& crystal, const std::vector<double>& moments, const std::vector<Int3>& grids,
                             const std::vector<Vec3>& vectors, const Boundaries& boundaries) {
  return compatible_subgroup(grids, crystal, moments, vectors, boundaries).group;
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
