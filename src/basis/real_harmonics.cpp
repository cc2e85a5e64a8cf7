#include <cmath>

#include <wavegrid/base/units.hpp>
#include <wavegrid/basis/real_harmonics.hpp>

namespace wavegrid {
namespace {

/// Y_lm = K_lm d^m P_l/dz^m(z) times the real (m >= 0) or imaginary (m < 0) part of (x + iy)^|m|.
struct HarmonicParts {
  std::vector<std::vector<double>> slope;  // [m][l]: d^m P_l / dz^m
  std::vector<double> cosine, sine;        // of (x + iy)^m

  HarmonicParts(int l_max, const Vec3& n) : slope(static_cast<std::size_t>(l_max) + 2) {
    const auto [x, y, z] = n;
    const auto size = static_cast<std::size_t>(l_max) + 1;
    cosine.assign(size + 1, 1.0);
    sine.assign(size + 1, 0.0);
    for (std::size_t m = 1; m <= size; ++m) {
      cosine[m] = x * cosine[m - 1] - y * sine[m - 1];
      sine[m] = x * sine[m - 1] + y * cosine[m - 1];
    }
    double first = 1.0;  // (2m - 1)!!
    for (std::size_t m = 0; m <= size; ++m) {
      slope[m].assign(size, 0.0);
      if (m < size) slope[m][m] = first;
      for (std::size_t l = m + 1; l < size; ++l) {
        const auto [order, degree] = std::pair(static_cast<double>(m), static_cast<double>(l));
        const double before = l > m + 1 ? slope[m][l - 2] : 0.0;
        slope[m][l] = ((2 * degree - 1) * z * slope[m][l - 1] - (degree + order - 1) * before) / (degree - order);
      }
      first *= 2.0 * static_cast<double>(m) + 1.0;
    }
  }
};

double harmonic_norm(int l, int m) {
  double ratio = 1.0;  // (l - m)! / (l + m)!
  for (int k = l - m + 1; k <= l + m; ++k) ratio /= k;
  return std::sqrt((m > 0 ? 2.0 : 1.0) * (2 * l + 1) / (4.0 * units::pi) * ratio);
}

}  // namespace

std::vector<double> real_harmonics(int l_max, const Vec3& n) {
  const HarmonicParts parts(l_max, n);
  std::vector<double> y(num_harmonics(l_max));
  for (int l = 0; l <= l_max; ++l)
    for (int m = 0; m <= l; ++m) {
      const auto order = static_cast<std::size_t>(m);
      const double radial = harmonic_norm(l, m) * parts.slope[order][static_cast<std::size_t>(l)];
      y[harmonic_index(l, m)] = radial * parts.cosine[order];
      if (m > 0) y[harmonic_index(l, -m)] = radial * parts.sine[order];
    }
  return y;
}

std::vector<Vec3> real_harmonic_gradients(int l_max, const Vec3& n) {
  const HarmonicParts parts(l_max, n);
  std::vector<Vec3> gradients(num_harmonics(l_max));
  const auto perpendicular = [&](const Vec3& v) { return v - dot(v, n) * n; };
  for (int l = 0; l <= l_max; ++l)
    for (int m = 0; m <= l; ++m) {
      const auto order = static_cast<std::size_t>(m), degree = static_cast<std::size_t>(l);
      const double norm = harmonic_norm(l, m), p = norm * parts.slope[order][degree],
                   dp = norm * parts.slope[order + 1][degree];
      const double c = m > 0 ? m * parts.cosine[order - 1] : 0.0, s = m > 0 ? m * parts.sine[order - 1] : 0.0;
      gradients[harmonic_index(l, m)] = perpendicular({p * c, -p * s, dp * parts.cosine[order]});
      if (m > 0) gradients[harmonic_index(l, -m)] = perpendicular({p * s, p * c, dp * parts.sine[order]});
    }
  return gradients;
}

}  // namespace wavegrid
