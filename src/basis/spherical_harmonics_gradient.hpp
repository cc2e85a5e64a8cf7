// Gradients of the real spherical harmonics of spherical_harmonics.hpp.
#pragma once

#include <wavegrid/basis/spherical_harmonics.hpp>

namespace wavegrid {

namespace detail {

// Each takes a unit vector and gives the gradient of r^l Y_lm there.
[[nodiscard]] inline Vec3 solid_gradient1(int m_index) {
  constexpr std::size_t axis[3] = {1, 2, 0};  // y, z, x
  Vec3 gradient{0, 0, 0};
  gradient[axis[m_index]] = std::sqrt(3.0 / (4.0 * units::pi));
  return gradient;
}

[[nodiscard]] inline Vec3 solid_gradient2(int m_index, const Vec3& n) {
  const auto [x, y, z] = n;
  const double c = std::sqrt(15.0 / (4.0 * units::pi));
  switch (m_index) {
    case 0:
      return c * Vec3{y, x, 0};
    case 1:
      return c * Vec3{0, z, y};
    case 2:  // 2 z^2 - x^2 - y^2
      return c / std::sqrt(3.0) * Vec3{-x, -y, 2.0 * z};
    case 3:
      return c * Vec3{z, 0, x};
    default:
      return c * Vec3{x, -y, 0};
  }
}

[[nodiscard]] inline Vec3 solid_gradient3(int m_index, const Vec3& n) {
  const auto [x, y, z] = n;
  const double c = std::sqrt(7.0 / (16.0 * units::pi));
  switch (m_index) {
    case 0:  // y (3 x^2 - y^2)
      return c * std::sqrt(2.5) * Vec3{6.0 * x * y, 3.0 * (x * x - y * y), 0};
    case 1:
      return c * std::sqrt(60.0) * Vec3{y * z, x * z, x * y};
    case 2:  // y (4 z^2 - x^2 - y^2)
      return c * std::sqrt(1.5) * Vec3{-2.0 * x * y, 4.0 * z * z - x * x - 3.0 * y * y, 8.0 * y * z};
    case 3:  // z (2 z^2 - 3 x^2 - 3 y^2)
      return c * Vec3{-6.0 * x * z, -6.0 * y * z, 6.0 * z * z - 3.0 * (x * x + y * y)};
    case 4:  // x (4 z^2 - x^2 - y^2)
      return c * std::sqrt(1.5) * Vec3{4.0 * z * z - 3.0 * x * x - y * y, -2.0 * x * y, 8.0 * x * z};
    case 5:  // z (x^2 - y^2)
      return c * std::sqrt(15.0) * Vec3{2.0 * x * z, -2.0 * y * z, x * x - y * y};
    default:  // x (x^2 - 3 y^2)
      return c * std::sqrt(2.5) * Vec3{3.0 * (x * x - y * y), -6.0 * x * y, 0};
  }
}

}  // namespace detail

/// |q| grad Y_lm(q) at q = n |q|, for a unit vector n: perpendicular to n. l = 0..3, m_index = m + l. With it
/// q_b d(p(|q|) Y_lm(q)) / d q_a = |q| p' n_a n_b Y_lm + p n_b (|q| grad Y_lm)_a.
[[nodiscard]] inline Vec3 real_ylm_gradient(int l, int m_index, const Vec3& n) {
  if (l == 0) return {0, 0, 0};
  const Vec3 solid = l == 1   ? detail::solid_gradient1(m_index)
                     : l == 2 ? detail::solid_gradient2(m_index, n)
                              : detail::solid_gradient3(m_index, n);
  return solid - (l * real_ylm(l, m_index, n)) * n;
}

}  // namespace wavegrid
