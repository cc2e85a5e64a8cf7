// The symmetry of a crystal: operations that map it onto itself, as values.
#pragma once

#include <array>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <wavegrid/base/index.hpp>
#include <wavegrid/base/vec3.hpp>

namespace wavegrid {

/// Integer matrix W (rows) that acts on fractional coordinates: (W x)_i = sum_j W_ij x_j.
using Rotation = std::array<Int3, 3>;

inline constexpr Rotation no_rotation{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

/// x -> W x + w on fractional coordinates. W may be improper or, in a non-primitive cell, the identity with w != 0. In
/// a magnetic group time reversal may follow, which turns moments over and maps k to -k.
struct SymmetryOperation {
  Rotation rotation = no_rotation;  ///< W
  Vec3 translation{0, 0, 0};        ///< w, in [0, 1)
  bool time_reversed = false;
};

/// W x + w, not folded into the cell.
[[nodiscard]] Vec3 image_of(const SymmetryOperation& operation, const Vec3& fractional);
/// First `second`, then `first`; the translation folded into [0, 1).
[[nodiscard]] SymmetryOperation product(const SymmetryOperation& first, const SymmetryOperation& second);
[[nodiscard]] int rotation_determinant(const Rotation& rotation);
/// W^-1, -W^-1 w; W must have determinant 1 or -1.
[[nodiscard]] SymmetryOperation inverse(const SymmetryOperation& operation);
/// W of the same operation as a matrix on Cartesian column vectors (orthogonal), of the cell whose rows are `vectors`.
[[nodiscard]] Mat3 cartesian_rotation(const Rotation& rotation, const Mat3& vectors);
/// What the operation makes of a magnetic moment, an axial vector that time reversal turns over: det(W) W, or minus
/// that, as a matrix on Cartesian column vectors.
[[nodiscard]] Mat3 moment_rotation(const SymmetryOperation& operation, const Mat3& vectors);

/// S g with S = W^T, the action of W in reciprocal space. exp(2 pi i g.(W x)) = exp(2 pi i (S g).x).
template <class Number>
[[nodiscard]] constexpr std::array<Number, 3> on_reciprocal(const Rotation& rotation, const std::array<Number, 3>& g) {
  std::array<Number, 3> image{};
  for (std::size_t j = 0; j < 3; ++j)
    for (std::size_t i = 0; i < 3; ++i) image[j] += static_cast<Number>(rotation[i][j]) * g[i];
  return image;
}

/// A group of operations modulo lattice translations. A plain value, the same on every rank that made it from the same
/// input.
///
/// Operations are sorted by rotation, the identity first, then by ascending matrix elements; those of one rotation
/// without time reversal first, then by ascending translation. So the first num_translations() of them are the pure
/// translations of a cell that is not primitive (zero first), and every rotation has the same number of operations.
///
/// A group is magnetic where time reversal by itself is no symmetry: each operation has it or not. Of all other groups
/// no operation has it, and all may be combined with it; of the grey group of vectors that are zero
/// (magnetic_group.hpp) each is there both without and with it.
class SpaceGroup {
 public:
  /// The identity alone.
  SpaceGroup() : SpaceGroup({SymmetryOperation{}}, "P1", 1) {}
  [[nodiscard]] static SpaceGroup identity() { return {}; }

  /// `operations` in any order, each once; `symbol` and `number` of the International Tables. Throws internal_error if
  /// they cannot be a group (no identity, or different numbers of operations for the rotations).
  SpaceGroup(std::vector<SymmetryOperation> operations, std::string symbol, int number, bool magnetic = false);

  [[nodiscard]] const std::vector<SymmetryOperation>& operations() const { return operations_; }
  [[nodiscard]] int size() const { return static_cast<int>(operations_.size()); }
  [[nodiscard]] bool is_identity() const { return operations_.size() == 1; }
  [[nodiscard]] bool is_magnetic() const { return magnetic_; }

  /// Pure translations, the zero among them.
  [[nodiscard]] int num_translations() const { return num_translations_; }
  [[nodiscard]] std::span<const SymmetryOperation> translations() const {
    return std::span(operations_).first(static_cast<std::size_t>(num_translations_));
  }
  /// Different rotations, at most 48; the first operation of each. With translations() they generate all.
  [[nodiscard]] int num_rotations() const { return size() / num_translations_; }
  [[nodiscard]] const SymmetryOperation& rotation_operation(int r) const {
    return operations_[static_cast<std::size_t>(r * num_translations_)];
  }
  /// One operation of each rotation.
  [[nodiscard]] std::vector<SymmetryOperation> one_per_rotation() const;

  /// The operations for which `keep` is true. Throws internal_error if they are not a subgroup.
  [[nodiscard]] SpaceGroup subgroup(const std::function<bool(const SymmetryOperation&)>& keep) const;
  /// A magnetic group of some of these operations, with or without time reversal; throws as subgroup() does.
  [[nodiscard]] SpaceGroup magnetic_subgroup(std::vector<SymmetryOperation> operations) const;

  /// Symbol and number of the crystal's group, also if this is only a subgroup.
  [[nodiscard]] const std::string& symbol() const { return symbol_; }
  [[nodiscard]] int number() const { return number_; }
  /// "Fm-3m (225), 48 operations", or "8 of the 48 operations of Fm-3m (225), 4 with time reversal".
  [[nodiscard]] std::string description() const;

 private:
  std::vector<SymmetryOperation> operations_;
  std::string symbol_;
  int number_ = 1;
  int num_translations_ = 1;
  int full_size_ = 1;  // operations of the crystal
  bool magnetic_ = false;
};

}  // namespace wavegrid
