// Spheres of grid points around atoms, and boxes of one size that hold what operators make of functions in them.
#pragma once

#include <vector>

#include <wavegrid/orbitals/orbital_layout.hpp>

namespace wavegrid {

/// The distance of each point of a box from a position (fractional) or its nearest image, bohr. Pure.
[[nodiscard]] std::vector<double> distances(const Lattice& lattice, const Int3& grid, const Vec3& position,
                                            const Box& box);

/// Boxes of the same size for all atoms, around those of a layout, at most the cell. An operator that depends on
/// differences between points only is then the same in all of them. Those three times as long as the longest of the
/// layout have all boxes that have points in common with that of their atom, and such an operator is Hermitian between
/// functions of two. Pure.
class WideBoxes {
 public:
  static constexpr double with_neighbours = 3;  ///< length of boxes that have all with common points
  static constexpr double near = 1.25;          ///< of those that only let an operator decay at the surface

  /// `length`: over that of the longest box of the layout.
  WideBoxes(const OrbitalLayout& layout, double length);

  [[nodiscard]] const Int3& size() const { return size_; }
  [[nodiscard]] const Box& box(Index atom) const { return boxes_[static_cast<std::size_t>(atom)]; }

 private:
  Int3 size_{};
  std::vector<Box> boxes_;
};

/// The lattice whose cell is a box of some of the points of another cell. Pure.
class WideLattice {
 public:
  WideLattice(const Lattice& cell, const Int3& grid, const Int3& size) : cell_(cell), grid_(grid), size_(size) {}

  [[nodiscard]] Lattice lattice() const {
    Mat3 vectors = cell_.vectors();
    for (std::size_t d = 0; d < 3; ++d) vectors[d] = (static_cast<double>(size_[d]) / grid_[d]) * vectors[d];
    return Lattice(vectors);
  }
  /// A wave vector in units of its reciprocal vectors.
  [[nodiscard]] Vec3 in_box(Vec3 k) const {
    for (std::size_t d = 0; d < 3; ++d) k[d] *= static_cast<double>(size_[d]) / grid_[d];
    return k;
  }
  /// A position, in fractions of `wide`.
  [[nodiscard]] Vec3 in_box(Vec3 position, const Box& wide) const {
    for (std::size_t d = 0; d < 3; ++d) position[d] = (position[d] * grid_[d] - wide.begin[d]) / size_[d];
    return position;
  }
  [[nodiscard]] Box in_box(Box box, const Box& wide) const {
    for (std::size_t d = 0; d < 3; ++d) box.begin[d] -= wide.begin[d];
    return box;
  }

 private:
  Lattice cell_;
  Int3 grid_, size_;
};

}  // namespace wavegrid
