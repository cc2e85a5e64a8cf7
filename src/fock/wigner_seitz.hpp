// The Coulomb interaction within the Wigner-Seitz cell of a supercell, in reciprocal space: 1/r for the nearest image,
// nothing beyond.
//
//   1/r = erfc(alpha r)/r + erf(alpha r)/r
//
// The first part has ended at the nearest face (2e-17 of its value there), so that it is 4 pi/Q^2 (1 - exp(-Q^2/
// (4 alpha^2))) as in free space. The second is smooth but for kinks at the faces: it is transformed from points of the
// supercell, each moved to its image nearest to 0.
// R. Sundararaman, T. A. Arias, Phys. Rev. B 87, 165122 (2013), 10.1103/PhysRevB.87.165122
#pragma once

#include <optional>
#include <vector>

#include <wavegrid/base/index.hpp>
#include <wavegrid/basis/lattice.hpp>

namespace wavegrid {

/// The smooth part erf(alpha r)/r. Not for several threads at once.
class WignerSeitzCell {
 public:
  /// `mesh`: cells of the supercell along each vector; `grid`: the points of a cell at whose frequencies it is asked.
  WignerSeitzCell(const Lattice& lattice, const Int3& mesh, const Int3& grid);

  [[nodiscard]] double alpha() const { return alpha_; }  ///< 1/bohr
  /// int exp(-i Q.r) erf(alpha r)/r over the cell, bohr^2, at a wave of the supercell in units of the reciprocal
  /// vectors of the cell.
  [[nodiscard]] double smooth(const Vec3& q) const { return at(values_, q); }
  /// Its derivative by the strain, where Q keeps these units and alpha is fixed. The first call prepares them.
  [[nodiscard]] Mat3 strain(const Vec3& q) const;

  /// Bytes that it keeps, without those of the derivatives. Pure.
  [[nodiscard]] static double bytes(const Lattice& lattice, const Int3& mesh, const Int3& grid);

 private:
  using Field = std::vector<double>;  ///< at the frequencies of points_

  /// The transform of function(nearest images of a point), which is even.
  template <class Function>
  [[nodiscard]] Field transform(const Function& function) const;
  [[nodiscard]] double at(const Field& field, const Vec3& q) const;

  Int3 mesh_;
  Lattice supercell_;
  double alpha_;
  Int3 points_;
  Field values_;
  mutable std::vector<Field> strains_;  ///< xx, yy, zz, yz, xz, xy; empty before they are needed
};

}  // namespace wavegrid
