// Which rank owns the functions of which atom, and the boxes of the atoms. Pure.
#pragma once

#include <vector>

#include <wavegrid/base/index.hpp>
#include <wavegrid/basis/lattice.hpp>
#include <wavegrid/boxes/box.hpp>
#include <wavegrid/crystal/crystal.hpp>

namespace wavegrid {

/// The functions of all atoms, atom by atom, and a box of grid points for each atom.
class OrbitalLayout {
 public:
  /// `functions`, `radii`: functions and half the edge of the box (bohr) of an atom of each species. The atoms are
  /// distributed over `ranks` ranks in their order (curve_order.hpp), in blocks of about equal numbers of functions
  /// times points.
  OrbitalLayout(const Crystal& crystal, const Int3& grid, const std::vector<Index>& functions,
                const std::vector<double>& radii, int ranks);

  [[nodiscard]] const Int3& grid() const { return grid_; }
  [[nodiscard]] Index num_atoms() const { return static_cast<Index>(boxes_.size()); }
  [[nodiscard]] Index num_functions() const { return first_.back(); }
  /// Those of an atom.
  [[nodiscard]] Range functions(Index atom) const {
    return {first_[static_cast<std::size_t>(atom)], first_[static_cast<std::size_t>(atom) + 1]};
  }
  [[nodiscard]] const Box& box(Index atom) const { return boxes_[static_cast<std::size_t>(atom)]; }
  [[nodiscard]] const std::vector<Box>& boxes() const { return boxes_; }
  /// Values of all functions of an atom.
  [[nodiscard]] Index values(Index atom) const { return functions(atom).size() * box(atom).points(); }
  /// Atoms whose boxes have points in common with that of an atom, itself too, rising.
  [[nodiscard]] const std::vector<Index>& neighbours(Index atom) const {
    return neighbours_[static_cast<std::size_t>(atom)];
  }
  /// The atoms of a rank.
  [[nodiscard]] Range atoms(int rank) const {
    return {begins_[static_cast<std::size_t>(rank)], begins_[static_cast<std::size_t>(rank) + 1]};
  }

 private:
  Int3 grid_;
  std::vector<Index> first_;  ///< function of each atom, and their number
  std::vector<Box> boxes_;    ///< numbered as the atoms
  std::vector<std::vector<Index>> neighbours_;
  std::vector<Index> begins_;  ///< first atom of each rank, and their number
};

/// The box around a position (fractional) that reaches `radius` (bohr) along each reciprocal vector; along a vector
/// along which it would be longer than the cell it is the whole cell, from 0 on. Pure.
[[nodiscard]] Box orbital_box(const Lattice& lattice, const Int3& grid, const Vec3& position, double radius,
                              Index number);

}  // namespace wavegrid
