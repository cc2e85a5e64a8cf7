// The points of a rank's block of the grid that lie near an atom.
#pragma once

#include <array>
#include <cmath>
#include <vector>

#include <wavegrid/base/index.hpp>
#include <wavegrid/base/units.hpp>
#include <wavegrid/basis/lattice.hpp>

namespace wavegrid {

/// A rank's block of the grid, all z of some x and y.
struct GridBlock {
  Int3 grid;
  Range x, y;
  friend bool operator==(const GridBlock&, const GridBlock&) = default;
};

/// The part of an atom's sphere that lies in a block of the grid (my x, my y, nz). If the sphere is larger than the
/// cell, a point is near several images of the atom. Numbers of points do not depend on the block but for their origin.
class SphereInBlock {
 public:
  /// `position`: fractional; `radius`: bohr. `lattice` must outlive it.
  SphereInBlock(const Lattice& lattice, const GridBlock& block, const Vec3& position, double radius)
      : cell_(lattice.vectors()), block_(block), largest_(radius * radius) {
    const std::array<Range, 3> mine{block.x, block.y, Range{0, block.grid[2]}};
    for (std::size_t d = 0; d < 3; ++d) {
      const int n = block.grid[d];
      const double extent = radius * norm(lattice.reciprocal()[d]) / (2 * units::pi);  // fractional
      const int last = static_cast<int>(std::floor((position[d] + extent) * n));
      for (int i = static_cast<int>(std::ceil((position[d] - extent) * n)); i <= last; ++i)
        if (const Index point = ((i % n) + n) % n; mine[d].contains(point))
          near_[d].push_back({point - mine[d].begin, static_cast<double>(i) / n - position[d]});
    }
  }

  /// Calls action(local point, r^2); also for points of the box around the sphere that lie outside of it.
  template <class Action>
  void for_points(Action action) const {
    for (const Near& x : near_[0])
      for (const Near& y : near_[1]) {
        const Line line(*this, x, y);
        for (const Near& z : near_[2]) action(static_cast<std::size_t>(line.first + z.point), line.square(z));
      }
  }

  /// Calls begin(line, z) for each run of consecutive points inside the sphere on a line (my x, my y), and point(r) for
  /// each of its points, r from the atom in bohr. A run does not cross the end of a line.
  template <class Begin, class Point>
  void for_runs(Begin begin, Point point) const {
    for (const Near& x : near_[0])
      for (const Near& y : near_[1]) {
        const Line line(*this, x, y);
        Index next = -1;
        for (const Near& z : near_[2]) {
          if (line.square(z) > largest_) {
            next = -1;
            continue;
          }
          if (z.point != next) begin(x.point * block_.y.size() + y.point, z.point);
          point(line.origin + z.fractional * cell_[2]);
          next = z.point + 1;
        }
      }
  }

 private:
  struct Near {
    Index point;        ///< of the block, along the axis
    double fractional;  ///< point minus atom
  };
  /// A line along z: its first point, and r^2 = (a z + b) z + c.
  struct Line {
    Line(const SphereInBlock& sphere, const Near& x, const Near& y)
        : origin(x.fractional * sphere.cell_[0] + y.fractional * sphere.cell_[1]),
          first((x.point * sphere.block_.y.size() + y.point) * sphere.block_.grid[2]),
          a(norm2(sphere.cell_[2])),
          b(2 * dot(origin, sphere.cell_[2])),
          c(norm2(origin)) {}
    [[nodiscard]] double square(const Near& z) const { return (a * z.fractional + b) * z.fractional + c; }

    Vec3 origin;
    Index first;
    double a, b, c;
  };

  const Mat3& cell_;
  GridBlock block_;
  double largest_;  ///< r^2 inside the sphere
  std::array<std::vector<Near>, 3> near_;
};

}  // namespace wavegrid
