// Real-space grids that symmetry operations map onto themselves.
#pragma once

#include <string>

#include <wavegrid/crystal/space_group.hpp>

namespace wavegrid {

/// An operation as a map of grid points p (integers, modulo the grid): p -> matrix p + translation. In reciprocal space
/// the operation maps g (integers modulo the grid) onto W^T g, with the phase sum_i g_i translation_i / n_i.
struct GridOperation {
  Rotation matrix{};   ///< n_i W_ij / n_j
  Int3 translation{};  ///< n_i w_i, in [0, n_i)
};

/// Whether the operation maps grid points onto grid points: n_i W_ij / n_j integer, and n_i w_i integer to 1e-3.
[[nodiscard]] bool is_compatible(const Int3& grid, const SymmetryOperation& operation);
/// The operation on a grid with which it is compatible.
[[nodiscard]] GridOperation on_grid(const Int3& grid, const SymmetryOperation& operation);

/// The operations of a group that are compatible with a grid. Terms evaluated point by point, such as xc, keep these
/// symmetries exactly and break all others, so densities and k-points must use no more than these.
struct CompatibleSubgroup {
  SpaceGroup group;
  std::string message;  ///< for the output where operations were left out; else empty
};
[[nodiscard]] CompatibleSubgroup compatible_subgroup(const Int3& grid, const SpaceGroup& group);

/// The smallest grid that is compatible with every operation of `group`: sizes with no prime factor above 7, none below
/// `minimum`.
///
/// Translations that are not fractions with a denominator up to 24 without prime factors above 7 (atoms placed around
/// an origin of no symmetry) do not restrict the grid: compatible_subgroup() leaves them out. Among grids with the same
/// number of points the smallest first size, then the smallest second, is taken. Pure. Throws bad_input for sizes below
/// 1.
[[nodiscard]] Int3 symmetric_grid(const Int3& minimum, const SpaceGroup& group);

}  // namespace wavegrid
