// Three-vectors and 3x3 matrices: plain arrays with the few operations that a crystal needs.
#pragma once

#include <array>
#include <cmath>

namespace wavegrid {

using Vec3 = std::array<double, 3>;
using Mat3 = std::array<Vec3, 3>;  ///< three rows, for a cell: three lattice vectors

[[nodiscard]] constexpr Vec3 operator+(const Vec3& a, const Vec3& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
[[nodiscard]] constexpr Vec3 operator-(const Vec3& a, const Vec3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
[[nodiscard]] constexpr Vec3 operator*(double s, const Vec3& a) { return {s * a[0], s * a[1], s * a[2]}; }
[[nodiscard]] constexpr double dot(const Vec3& a, const Vec3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
[[nodiscard]] constexpr Vec3 cross(const Vec3& a, const Vec3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
[[nodiscard]] constexpr double norm2(const Vec3& a) { return dot(a, a); }
[[nodiscard]] inline double norm(const Vec3& a) { return std::sqrt(norm2(a)); }

/// Row vector times matrix: c0 M[0] + c1 M[1] + c2 M[2].
[[nodiscard]] constexpr Vec3 operator*(const Vec3& c, const Mat3& m) { return c[0] * m[0] + c[1] * m[1] + c[2] * m[2]; }
[[nodiscard]] constexpr double determinant(const Mat3& m) { return dot(m[0], cross(m[1], m[2])); }

}  // namespace wavegrid
