// Sums of symmetric 3 x 3 matrices as rows of six numbers: xx, yy, zz, yz, xz, xy.
#pragma once

#include <span>

#include <wavegrid/base/vec3.hpp>

namespace wavegrid {

/// sum += factor v v^T
inline void add_to_symmetric(std::span<double> sum, double factor, const Vec3& v) {
  sum[0] += factor * v[0] * v[0];
  sum[1] += factor * v[1] * v[1];
  sum[2] += factor * v[2] * v[2];
  sum[3] += factor * v[1] * v[2];
  sum[4] += factor * v[0] * v[2];
  sum[5] += factor * v[0] * v[1];
}
/// sum += (v w^T + w v^T) / 2
inline void add_to_symmetric(std::span<double> sum, const Vec3& v, const Vec3& w) {
  sum[0] += v[0] * w[0];
  sum[1] += v[1] * w[1];
  sum[2] += v[2] * w[2];
  sum[3] += 0.5 * (v[1] * w[2] + v[2] * w[1]);
  sum[4] += 0.5 * (v[0] * w[2] + v[2] * w[0]);
  sum[5] += 0.5 * (v[0] * w[1] + v[1] * w[0]);
}
/// The matrix of six numbers.
[[nodiscard]] inline Mat3 symmetric(std::span<const double> s) {
  return {Vec3{s[0], s[5], s[4]}, Vec3{s[5], s[1], s[3]}, Vec3{s[4], s[3], s[2]}};
}
[[nodiscard]] inline Mat3 isotropic(double value) { return {Vec3{value, 0, 0}, Vec3{0, value, 0}, Vec3{0, 0, value}}; }
[[nodiscard]] inline Mat3 operator+(const Mat3& a, const Mat3& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
[[nodiscard]] inline Mat3 operator*(double s, const Mat3& m) { return {s * m[0], s * m[1], s * m[2]}; }

}  // namespace wavegrid
