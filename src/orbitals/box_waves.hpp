// The waves of a periodic box of grid points: those of a lattice whose cell is the box.
//
//   q = k + sum_d (n_d N_d / F_d) b_d,   -F_d/2 <= n_d < F_d/2
//
// for F_d of the N_d points of the cell along each vector. All functions at the points of the box are sums of them. A
// wave with n_d = -F_d/2 is that of +F_d/2, too, at the points.
#pragma once

#include <vector>

#include <wavegrid/basis/lattice.hpp>

namespace wavegrid {

/// Pure.
class BoxWaves {
 public:
  /// `size`: points of the box, of `grid` points of the cell; `k` in units of the reciprocal vectors.
  BoxWaves(const Lattice& cell, const Int3& grid, const Int3& size, const Vec3& k);

  [[nodiscard]] const Int3& size() const { return size_; }
  [[nodiscard]] Index points() const { return Index{1} * size_[0] * size_[1] * size_[2]; }
  [[nodiscard]] double volume() const;  ///< of the box, bohr^3
  /// q, 1/bohr.
  [[nodiscard]] Vec3 wave(const Int3& n) const;
  /// q^2/2 of each wave in the order of a transform, Ha; the mean of both where a wave is two.
  [[nodiscard]] std::vector<double> kinetic() const;
  /// Calls visit(place in a transform, n) for the waves that are one.
  template <class Visit>
  void for_single(Visit visit) const {
    Index place = 0;
    for (int x = 0; x < size_[0]; ++x)
      for (int y = 0; y < size_[1]; ++y)
        for (int z = 0; z < size_[2]; ++z, ++place)
          if (2 * x != size_[0] && 2 * y != size_[1] && 2 * z != size_[2])
            visit(place, Int3{signed_of(x, size_[0]), signed_of(y, size_[1]), signed_of(z, size_[2])});
  }

 private:
  [[nodiscard]] static int signed_of(int i, int n) { return 2 * i < n ? i : i - n; }

  Lattice cell_;
  Int3 grid_, size_;
  Vec3 k_;
};

}  // namespace wavegrid
