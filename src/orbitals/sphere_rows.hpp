// Which points of a box are in the sphere of its atom, row by row.
#pragma once

#include <array>
#include <span>
#include <vector>

#include <wavegrid/orbitals/common_points.hpp>
#include <wavegrid/orbitals/orbital_layout.hpp>

namespace wavegrid {

/// The rows of the boxes of a layout in the spheres of their atoms; those of boxes that are the cell along a vector
/// are whole. Pure.
class SphereRows {
 public:
  /// `crystal` has its atoms in the order of the layout; `radii` of each species, bohr.
  SphereRows(const Crystal& crystal, const OrbitalLayout& layout, const std::vector<double>& radii);

  /// Of an atom; empty: whole.
  [[nodiscard]] std::span<const RowPart> of(Index atom) const { return rows_[static_cast<std::size_t>(atom)]; }

 private:
  std::vector<std::vector<RowPart>> rows_;
};

/// The rows of a box that is longer along an axis, `size` points, from those of a box inside it: all points that differ
/// from one of these along that axis alone. Pure.
[[nodiscard]] std::vector<RowPart> extended_rows(std::span<const RowPart> rows, const Int3& inside, std::size_t axis,
                                                 int size);

}  // namespace wavegrid
