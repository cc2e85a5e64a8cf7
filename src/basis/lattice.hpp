// The periodic cell and its reciprocal.
#pragma once

#include <wavegrid/base/vec3.hpp>

namespace wavegrid {

/// Three lattice vectors (rows, bohr) and the reciprocal vectors b_j with a_i . b_j = 2 pi delta_ij (rows, 1/bohr).
class Lattice {
 public:
  /// Throws bad_input if the vectors are coplanar. A left-handed cell is allowed.
  explicit Lattice(const Mat3& vectors);

  [[nodiscard]] const Mat3& vectors() const { return vectors_; }
  [[nodiscard]] const Mat3& reciprocal() const { return reciprocal_; }
  [[nodiscard]] double volume() const { return volume_; }  ///< bohr^3, positive

  /// Cartesian from fractional coordinates (bohr), and G (1/bohr) from (possibly shifted) integer coordinates.
  [[nodiscard]] Vec3 cartesian(const Vec3& fractional) const { return fractional * vectors_; }
  [[nodiscard]] Vec3 g_vector(const Vec3& coefficients) const { return coefficients * reciprocal_; }
  /// The coefficients of the reciprocal vectors of a Cartesian vector, 1/bohr: the inverse of g_vector().
  [[nodiscard]] Vec3 reduced(const Vec3& k) const;

 private:
  Mat3 vectors_;
  Mat3 reciprocal_;
  double volume_;
};

}  // namespace wavegrid
