// Spheres of grid points around atoms, and boxes of one size that hold what operators make of functions in them.
#pragma once

#include <vector>

#include <wavegrid/orbitals/orbital_layout.hpp>

namespace wavegrid {

/// The distance of each point of a box from a position (fractional) or its nearest image, bohr. Pure.
[[nodiscard]] std::vector<double> distances(const Lattice& lattice, const Int3& grid, const Vec3& position,
                                            const Box& box);

/// Boxes of the same size for all atoms, around those of a layout, each with all boxes of the layout that have points
/// in common with that of its atom: about three times as long, at most the cell. An operator that depends on
/// differences between points only is then the same in all of them, and Hermitian between functions of two. Pure.
class WideBoxes {
 public:
  explicit WideBoxes(const OrbitalLayout& layout);

  [[nodiscard]] const Int3& size() const { return size_; }
  [[nodiscard]] const Box& box(Index atom) const { return boxes_[static_cast<std::size_t>(atom)]; }

 private:
  Int3 size_{};
  std::vector<Box> boxes_;
};

}  // namespace wavegrid
