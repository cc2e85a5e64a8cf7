// The box of grid points around an atom, and its points within a radius.
#pragma once

#include <array>
#include <cmath>
#include <vector>

#include <wavegrid/basis/lattice.hpp>
#include <wavegrid/boxes/box.hpp>

namespace wavegrid {

/// The smallest box that holds a sphere; along a vector of the cell along which the sphere is longer than the cell, the
/// whole cell. A value of the box then is near several images of the atom.
class AtomBox {
 public:
  /// `position`: fractional; `radius`: bohr; `number`: of the box among all. `lattice` must outlive it.
  AtomBox(const Lattice& lattice, const Int3& grid, const Vec3& position, double radius, Index number);

  [[nodiscard]] const Box& box() const { return box_; }

  /// Calls action(value of the box, r, |r|) for the points inside the sphere, r from the atom, bohr, in one order.
  template <class Action>
  void for_points(Action action) const {
    for (const Near& x : near_[0])
      for (const Near& y : near_[1]) {
        const Vec3 line = x.r + y.r;
        const std::size_t first = (x.at * size(1) + y.at) * size(2);
        for (const Near& z : near_[2]) {
          const Vec3 r = line + z.r;
          if (const double square = norm2(r); square < square_) action(first + z.at, r, std::sqrt(square));
        }
      }
  }

 private:
  /// An index along an axis: in the box, and the part of r along it.
  struct Near {
    std::size_t at;
    Vec3 r;
  };
  [[nodiscard]] std::size_t size(std::size_t axis) const { return static_cast<std::size_t>(box_.size[axis]); }

  Box box_;
  double square_;  ///< of the radius
  std::array<std::vector<Near>, 3> near_;
};

}  // namespace wavegrid
