// Real spherical harmonics up to l = 3, orthonormal on the unit sphere.
#pragma once

#include <cmath>
#include <string>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/units.hpp>
#include <wavegrid/base/vec3.hpp>

namespace wavegrid {

namespace detail {

// Each takes a unit vector (x, y, z) and m = -l..l as index m + l.
[[nodiscard]] inline double real_y1(int m_index, const Vec3& n) {
  constexpr std::size_t axis[3] = {1, 2, 0};  // y, z, x
  return std::sqrt(3.0 / (4.0 * units::pi)) * n[axis[m_index]];
}

[[nodiscard]] inline double real_y2(int m_index, const Vec3& n) {
  const auto [x, y, z] = n;
  const double c = std::sqrt(15.0 / (4.0 * units::pi));
  switch (m_index) {
    case 0:
      return c * x * y;
    case 1:
      return c * y * z;
    case 2:
      return c / (2.0 * std::sqrt(3.0)) * (3.0 * z * z - 1.0);
    case 3:
      return c * x * z;
    default:
      return 0.5 * c * (x * x - y * y);
  }
}

[[nodiscard]] inline double real_y3(int m_index, const Vec3& n) {
  const auto [x, y, z] = n;
  const double c = std::sqrt(7.0 / (16.0 * units::pi));
  switch (m_index) {
    case 0:
      return c * std::sqrt(2.5) * y * (3.0 * x * x - y * y);
    case 1:
      return c * std::sqrt(60.0) * x * y * z;
    case 2:
      return c * std::sqrt(1.5) * y * (5.0 * z * z - 1.0);
    case 3:
      return c * z * (5.0 * z * z - 3.0);
    case 4:
      return c * std::sqrt(1.5) * x * (5.0 * z * z - 1.0);
    case 5:
      return c * std::sqrt(15.0) * z * (x * x - y * y);
    default:
      return c * std::sqrt(2.5) * x * (x * x - 3.0 * y * y);
  }
}

}  // namespace detail

/// Y_lm of the direction of a vector of any length, l = 0..3, m_index = m + l in [0, 2l].
///
/// Orthonormal: the integral of Y_lm Y_l'm' over the sphere is delta. No Condon-Shortley phase; m > 0 means
/// cos(m phi), m < 0 sin(|m| phi), so l = 1 is (y, z, x) and l = 2 is (xy, yz, 3z^2-1, xz, x^2-y^2), each with its
/// factor. The zero vector gives Y_00 for l = 0 and 0 for larger l (where the form factors, of order g^l, vanish too).
/// Condon, Shortley, The Theory of Atomic Spectra (1935), combined to real functions.
[[nodiscard]] inline double real_ylm(int l, int m_index, const Vec3& direction) {
  if (l < 0 || l > 3 || m_index < 0 || m_index > 2 * l)
    throw internal_error("no spherical harmonic with l = " + std::to_string(l) + ", m index " +
                         std::to_string(m_index) + "; valid are l = 0..3 and 0..2l");
  if (l == 0) return 0.5 / std::sqrt(units::pi);
  const double length = norm(direction);
  if (length == 0.0) return 0.0;
  const Vec3 unit = (1.0 / length) * direction;
  if (l == 1) return detail::real_y1(m_index, unit);
  if (l == 2) return detail::real_y2(m_index, unit);
  return detail::real_y3(m_index, unit);
}

}  // namespace wavegrid
