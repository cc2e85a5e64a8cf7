// A mesh of k-points reduced by symmetry: one point for each star.
#pragma once

#include <string>
#include <vector>

#include <wavegrid/basis/kpoints.hpp>
#include <wavegrid/crystal/space_group.hpp>

namespace wavegrid {

struct IrreducibleKPoints {
  std::vector<KPoint> kpoints;  ///< the first of each star, in the order of the mesh; folded to (-1/2, 1/2]
  SpaceGroup group;             ///< the operations that map the mesh onto itself, for symmetrising densities
  std::string sentence;         ///< description of the reduction for the output
};

/// The operations of `group` that map the mesh onto itself, also together with k -> -k where `time_reversal`. Computed
/// in integers. Pure. Throws bad_input for an invalid mesh.
[[nodiscard]] SpaceGroup mesh_symmetry(const KMesh& mesh, const SpaceGroup& group, bool time_reversal);

/// Whether the weights of a list are the same at all points that `group` or time reversal make equivalent, to 1e-5 of a
/// reciprocal vector and 1e-6 of the sum of the weights. Pure.
[[nodiscard]] bool has_whole_stars(const std::vector<KPoint>& points, const SpaceGroup& group);

/// For each point of the mesh the number of its irreducible one in the result of irreducible() with the same arguments.
[[nodiscard]] std::vector<Index> irreducible_numbers(const KMesh& mesh, const SpaceGroup& group, bool time_reversal);

/// Reduces the mesh by the operations of `group`, k -> -S k for those with time reversal, and, where `time_reversal`,
/// by k -> -k (energies even in k: no magnetic field, no moments of spinors).
///
/// Operations that do not map the mesh onto itself, with or without time reversal where that is allowed, are left out;
/// sums over the irreducible points are exact if densities are symmetrised by the `group` of the result. Computed in
/// integers, without a tolerance. Pure, the same on all ranks. Throws bad_input for an invalid mesh.
[[nodiscard]] IrreducibleKPoints irreducible(const KMesh& mesh, const SpaceGroup& group, bool time_reversal);

}  // namespace wavegrid
