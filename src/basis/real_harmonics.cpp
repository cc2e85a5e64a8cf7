#include <algorithm>
#include <cmath>

#include <wavegrid/base/units.hpp>
#include <wavegrid/basis/real_harmonics.hpp>

namespace wavegrid {

namespace {

/// Pi_lm with its derivatives by z and by r^2.
struct Polar {
  double value = 0, by_z = 0, by_square = 0;
};

/// Calls action(l, m, Pi_lm) for 0 <= m <= l <= l_max, where r^2 = 1.
template <class Action>
void for_polar_parts(int l_max, double z, Action action) {
  double start = 1;  // (2m - 1)!!
  for (int m = 0; m <= l_max; start *= 2 * m + 1, ++m) {
    Polar before, last{start, 0, 0};
    action(m, m, last);
    for (int l = m + 1; l <= l_max; ++l) {
      const double a = (2.0 * l - 1) / (l - m), b = (l + m - 1.0) / (l - m);
      const Polar next{a * z * last.value - b * before.value, a * (last.value + z * last.by_z) - b * before.by_z,
                       a * z * last.by_square - b * (before.value + before.by_square)};
      before = last;
      last = next;
      action(l, m, last);
    }
  }
}

/// Real and imaginary part of (x + iy)^m, m = 0, 1, ...
struct Powers {
  explicit Powers(int m_max, const Vec3& n)
      : real(static_cast<std::size_t>(m_max + 1), 1.0), imaginary(static_cast<std::size_t>(m_max + 1), 0.0) {
    for (std::size_t m = 1; m < real.size(); ++m) {
      real[m] = n[0] * real[m - 1] - n[1] * imaginary[m - 1];
      imaginary[m] = n[0] * imaginary[m - 1] + n[1] * real[m - 1];
    }
  }
  std::vector<double> real, imaginary;
};

}  // namespace

RealHarmonics::RealHarmonics(int l_max) : l_max_(l_max), norm_(size()) {
  for (int l = 0; l <= l_max; ++l)
    for (int m = 0; m <= l; ++m) {
      double ratio = 1;  // (l - m)! / (l + m)!
      for (int k = l - m + 1; k <= l + m; ++k) ratio /= k;
      norm_[harmonic_index(l, m)] = std::sqrt((m == 0 ? 1.0 : 2.0) * (2 * l + 1) / (4.0 * units::pi) * ratio);
    }
}

void RealHarmonics::values(const Vec3& direction, std::span<double> y) const {
  const double length = norm(direction);
  if (length == 0.0) {
    std::fill(y.begin(), y.end(), 0.0);
    y[0] = norm_[0];
    return;
  }
  const Vec3 n = (1.0 / length) * direction;
  const Powers powers(l_max_, n);
  for_polar_parts(l_max_, n[2], [&](int l, int m, const Polar& polar) {
    const double factor = norm_[harmonic_index(l, m)] * polar.value;
    const auto power = static_cast<std::size_t>(m);
    if (m > 0) y[harmonic_index(l, -m)] = factor * powers.imaginary[power];
    y[harmonic_index(l, m)] = factor * powers.real[power];
  });
}

void RealHarmonics::gradients(const Vec3& n, std::span<double> y, std::span<Vec3> gradient) const {
  const Powers powers(l_max_, n);
  for_polar_parts(l_max_, n[2], [&](int l, int m, const Polar& polar) {
    const double factor = norm_[harmonic_index(l, m)];
    const auto power = static_cast<std::size_t>(m);
    const double re = powers.real[power], im = powers.imaginary[power];
    const double re_slope = m > 0 ? m * powers.real[power - 1] : 0.0;       // d Re / dx = d Im / dy
    const double im_slope = m > 0 ? m * powers.imaginary[power - 1] : 0.0;  // d Im / dx = -d Re / dy
    const auto set = [&](int signed_m, double angular, const Vec3& slope) {
      const std::size_t at = harmonic_index(l, signed_m);
      y[at] = factor * polar.value * angular;
      const Vec3 solid = (factor * polar.value) * slope + (2.0 * factor * polar.by_square * angular) * n +
                         Vec3{0, 0, factor * polar.by_z * angular};
      gradient[at] = solid - (l * y[at]) * n;
    };
    if (m > 0) set(-m, im, {im_slope, re_slope, 0});
    set(m, re, {re_slope, -im_slope, 0});
  });
}

}  // namespace wavegrid
