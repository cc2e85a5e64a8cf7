// Choice of the k-points of a calculation and of the group under which its density is symmetrised.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <wavegrid/basis/kpoints.hpp>
#include <wavegrid/crystal/crystal.hpp>
#include <wavegrid/crystal/space_group.hpp>
#include <wavegrid/problem/boundaries.hpp>

namespace wavegrid {

/// k-points, the symmetry group by which they were reduced, and a description for the output.
struct KPointChoice {
  std::vector<KPoint> points;
  SpaceGroup group;
  std::string sentence;
};

/// The points of a mesh. With `use_symmetry`: one for each star under the operations of the crystal (with its initial
/// moments, one per atom or none) that map the mesh, all FFT grids and the boundaries onto themselves; otherwise one
/// for each pair k and -k. Where spinors have moments (`vectors`, per atom, mu_B, not all zero) the operations are
/// those of the magnetic group, and k and -k are not equivalent by themselves. With `fields` that depend on time
/// (Cartesian vectors) the operations are those that leave them as they are, and neither are k and -k. Pure, the same
/// on all ranks. Throws bad_input for an invalid mesh or crystal.
[[nodiscard]] KPointChoice choose_kpoints(const Crystal& crystal, const std::vector<double>& moments,
                                          const std::vector<Int3>& grids, const KMesh& mesh, bool use_symmetry,
                                          const std::vector<Vec3>& vectors = {}, const Boundaries& boundaries = {},
                                          const std::optional<std::vector<Vec3>>& fields = std::nullopt);

/// The operations of the crystal (with its initial moments, one per atom or none, or `vectors`) that map all FFT grids
/// and the boundaries onto themselves: those by which the density of irreducible k-points from a list is symmetrised.
/// Pure. Throws bad_input for an invalid crystal.
[[nodiscard]] SpaceGroup symmetry_on_grids(const Crystal& crystal, const std::vector<double>& moments,
                                           const std::vector<Int3>& grids, const std::vector<Vec3>& vectors = {},
                                           const Boundaries& boundaries = {});

/// The number of rotations of the crystal that do not map the mesh onto itself, with or without time reversal. Pure.
/// Throws bad_input for an invalid mesh or crystal.
[[nodiscard]] int count_lost_rotations(const Crystal& crystal, const std::vector<double>& moments, const KMesh& mesh);

/// Whether a list of k-points has, with each point, all that are equivalent to it by the crystal or by time reversal,
/// with the same weight. Pure. Throws bad_input for an invalid crystal.
[[nodiscard]] bool has_whole_stars(const Crystal& crystal, const std::vector<double>& moments,
                                   const std::vector<KPoint>& points);

/// The smallest grid not below `least`, without prime factors above 7, that every operation of the crystal maps onto
/// itself.
[[nodiscard]] Int3 grid_for_symmetry(const Crystal& crystal, const std::vector<double>& moments, const Int3& least);

}  // namespace wavegrid
