// Real harmonics of any l, quadrature over the sphere and Gaunt coefficients against known values.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include <wavegrid/base/vec3.hpp>
#include <wavegrid/basis/real_harmonics.hpp>
#include <wavegrid/basis/sphere_quadrature.hpp>
#include <wavegrid/basis/spherical_harmonics.hpp>

namespace wavegrid::test_sphere_quadrature {
namespace {

Vec3 unit(double x, double y, double z) { return (1.0 / norm(Vec3{x, y, z})) * Vec3{x, y, z}; }

std::vector<double> real_harmonics(int l_max, const Vec3& n) {
  const RealHarmonics harmonics(l_max);
  std::vector<double> y(harmonics.size());
  harmonics.values(n, y);
  return y;
}

TEST(RealHarmonics, AgreeWithThoseOfProjectors) {
  for (const Vec3& n : {unit(1, 2, 3), unit(-0.3, 0.1, -2), unit(0, 0, 1), unit(1, 0, 0)}) {
    const std::vector<double> y = real_harmonics(3, n);
    for (int l = 0; l <= 3; ++l)
      for (int m = -l; m <= l; ++m) EXPECT_NEAR(y[harmonic_index(l, m)], real_ylm(l, m + l, n), 1e-14) << l << m;
  }
}

TEST(RealHarmonics, OrthonormalAndClosed) {
  constexpr int l_max = 6;
  const SphereQuadrature sphere(2 * l_max);
  std::vector<double> overlap(num_harmonics(l_max) * num_harmonics(l_max));
  double whole = 0.0;
  for (std::size_t p = 0; p < sphere.size(); ++p) {
    const auto y = real_harmonics(l_max, sphere.direction(p));
    whole += sphere.weight(p);
    double sum = 0.0;  // Unsoeld's theorem
    for (const double value : y) sum += value * value;
    EXPECT_NEAR(sum, num_harmonics(l_max) / (4 * std::numbers::pi), 1e-12);
    for (std::size_t a = 0; a < y.size(); ++a)
      for (std::size_t b = 0; b < y.size(); ++b) overlap[a * y.size() + b] += sphere.weight(p) * y[a] * y[b];
  }
  EXPECT_NEAR(whole, 4 * std::numbers::pi, 1e-12);
  for (std::size_t a = 0; a < num_harmonics(l_max); ++a)
    for (std::size_t b = 0; b < num_harmonics(l_max); ++b)
      EXPECT_NEAR(overlap[a * num_harmonics(l_max) + b], a == b ? 1.0 : 0.0, 1e-12);
}

TEST(RealHarmonics, GradientsByDifferences) {
  constexpr double step = 1e-5;
  const Vec3 n = unit(0.4, -0.7, 0.2);
  const RealHarmonics harmonics(6);
  std::vector<double> y(harmonics.size());
  std::vector<Vec3> gradients(y.size());
  harmonics.gradients(n, y, gradients);
  EXPECT_EQ(real_harmonics(6, {0, 0, 0})[1], 0.0);
  for (int axis = 0; axis < 3; ++axis) {
    Vec3 above = n, below = n;
    above[static_cast<std::size_t>(axis)] += step;
    below[static_cast<std::size_t>(axis)] -= step;
    const auto up = real_harmonics(6, unit(above[0], above[1], above[2])),
               down = real_harmonics(6, unit(below[0], below[1], below[2]));
    for (std::size_t i = 0; i < up.size(); ++i)
      EXPECT_NEAR(gradients[i][static_cast<std::size_t>(axis)], (up[i] - down[i]) / (2 * step), 1e-8) << i;
  }
}

TEST(Gaunt, KnownValues) {
  const GauntTable gaunt(3);
  const double y00 = 0.5 / std::sqrt(std::numbers::pi);
  for (std::size_t a = 0; a < num_harmonics(3); ++a)
    for (std::size_t b = 0; b < num_harmonics(3); ++b) EXPECT_NEAR(gaunt(0, a, b), a == b ? y00 : 0.0, 1e-13);
  const auto g = [&](int l, int m, int l1, int m1, int l2, int m2) {
    return gaunt(harmonic_index(l, m), harmonic_index(l1, m1), harmonic_index(l2, m2));
  };
  EXPECT_NEAR(g(2, 0, 1, 0, 1, 0), std::sqrt(1 / (5 * std::numbers::pi)), 1e-13);         // z^2 and z z
  EXPECT_NEAR(g(2, 0, 1, 1, 1, 1), -0.5 * std::sqrt(1 / (5 * std::numbers::pi)), 1e-13);  // z^2 and x x
  EXPECT_NEAR(g(2, -2, 1, -1, 1, 1), std::sqrt(3 / (20 * std::numbers::pi)), 1e-13);      // xy and y x
  EXPECT_NEAR(g(2, 0, 2, 0, 2, 0), std::sqrt(5 / std::numbers::pi) / 7, 1e-13);
  EXPECT_EQ(g(1, 0, 1, 0, 1, 0), 0.0);
  EXPECT_EQ(g(6, 3, 1, 1, 3, 2), 0.0);
}

/// Y_a Y_b = sum over LM of G Y_LM at a point.
TEST(Gaunt, ExpandProducts) {
  const GauntTable gaunt(3);
  const Vec3 n = unit(-1, 0.3, 0.8);
  const auto y = real_harmonics(6, n);
  for (std::size_t a = 0; a < num_harmonics(3); ++a)
    for (std::size_t b = 0; b < num_harmonics(3); ++b) {
      double sum = 0.0;
      for (std::size_t c = 0; c < num_harmonics(6); ++c) sum += gaunt(c, a, b) * y[c];
      EXPECT_NEAR(sum, y[a] * y[b], 1e-12) << a << " " << b;
    }
}

}  // namespace
}  // namespace wavegrid::test_sphere_quadrature
