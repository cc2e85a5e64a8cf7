// Radial transforms compared with closed forms: Gaussians of every l, a Slater function, and the standard Bessel
// functions.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include <wavegrid/base/error.hpp>
#include <wavegrid/basis/radial_table.hpp>

namespace wavegrid::test_radial_table {
namespace {

constexpr double pi = std::numbers::pi;

/// 4 pi int r^2 j_l(gr) r^l exp(-a r^2) dr
double gaussian_transform(int l, double a, double g) {
  return std::pow(pi / a, 1.5) * std::pow(g / (2.0 * a), l) * std::exp(-g * g / (4.0 * a));
}

/// 4 pi int r^2 r^l exp(-a r^2) dr, to which the accuracy is relative
double gaussian_size(int l, double a) { return 2.0 * pi * std::tgamma(0.5 * l + 1.5) / std::pow(a, 0.5 * l + 1.5); }

RadialTable gaussian_table(int l, double a, double spacing, double g_max) {
  std::vector<double> f;
  for (double r = 0.0; r < std::sqrt(40.0 / a) + 1.0; r += spacing) f.push_back(std::pow(r, l) * std::exp(-a * r * r));
  return {l, spacing, f, g_max};
}

TEST(RadialTable, GaussiansOfEveryAngularMomentum) {
  for (int l = 0; l <= 4; ++l)
    for (const double a : {0.05, 0.4, 3.0, 40.0}) {
      const RadialTable table = gaussian_table(l, a, 0.03, 24.0);
      const double size = gaussian_size(l, a);
      for (double g = 0.0; g <= 24.0; g += 0.0137)
        ASSERT_NEAR(table(g), gaussian_transform(l, a, g), 1e-8 * size) << l << " " << a << " " << g;
    }
}

TEST(RadialTable, DerivativeOfAGaussian) {
  const double a = 0.7;
  for (int l = 0; l <= 3; ++l) {
    const RadialTable table = gaussian_table(l, a, 0.05, 9.0);
    for (double g = 0.05; g < 9.0; g += 0.17)
      EXPECT_NEAR(table.derivative(g), gaussian_transform(l, a, g) * (l / g - g / (2.0 * a)), 1e-7);
  }
}

TEST(RadialTable, SampledFunction) {
  const auto f = [](double r) { return r * r * std::exp(-1.3 * r * r); };
  const RadialTable table = RadialTable::sample(2, f, 7.0, 15.0, 0.3);
  for (double g = 0.0; g <= 15.0; g += 0.11) EXPECT_NEAR(table(g), gaussian_transform(2, 1.3, g), 1e-8);
  EXPECT_EQ(table.l(), 2);
  EXPECT_EQ(table.g_max(), 15.0);
}

TEST(RadialTable, ThinShellIsTheBesselFunction) {
  for (int l = 0; l <= 5; ++l) {  // one sample at r = 2: F = 4 pi h r^2 j_l(2 g)
    std::vector<double> f(41, 0.0);
    f[40] = 1.0 / (4.0 * pi * 0.05 * 4.0);
    const RadialTable table(l, 0.05, f, 12.0);
    for (double g = 0.0; g <= 12.0; g += 0.077)
      EXPECT_NEAR(table(g), std::sph_bessel(static_cast<unsigned>(l), 2.0 * g), 2e-9) << l << " " << g;
  }
}

TEST(RadialTable, EdgesAndErrors) {
  const RadialTable zero(1, 0.1, std::vector<double>(30, 0.0), 5.0);
  EXPECT_EQ(zero(0.0), 0.0);
  EXPECT_EQ(zero(5.0), 0.0);
  const RadialTable at_origin = gaussian_table(0, 1.0, 0.1, 0.0);
  EXPECT_NEAR(at_origin(0.0), std::pow(pi, 1.5), 1e-12);
  EXPECT_THROW((void)at_origin(2.5), Error);
  EXPECT_THROW((void)zero(-0.1), Error);
  EXPECT_THROW(RadialTable(-1, 0.1, std::vector<double>(3, 0.0), 5.0), Error);
  EXPECT_THROW(RadialTable(0, 0.5, std::vector<double>(3, 0.0), 5.0), Error);
}

}  // namespace
}  // namespace wavegrid::test_radial_table
