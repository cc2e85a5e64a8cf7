// Radial transforms compared with closed forms: Gaussians of every l, a function with a step, a sum over a uniform
// mesh.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include <wavegrid/base/error.hpp>
#include <wavegrid/basis/radial_transform.hpp>

namespace wavegrid::test_radial_transform {
namespace {

constexpr double pi = std::numbers::pi;

std::vector<double> uniform(double end, int count) {
  std::vector<double> r;
  for (int i = 0; i <= count; ++i) r.push_back(end * i / count);
  return r;
}

// 4 pi int r^2 j_l(g r) r^l exp(-a r^2) dr
double gaussian(int l, double a, double g) {
  return 4.0 * pi * std::sqrt(pi) * std::pow(g, l) / std::pow(2.0, l + 2) / std::pow(a, l + 1.5) *
         std::exp(-g * g / (4.0 * a));
}

TEST(RadialTransform, GaussiansOfEveryL) {
  for (int l = 0; l <= 3; ++l)
    for (const double a : {0.7, 3.0}) {
      const RadialTransform f(l, uniform(10.0, 130), [=](double r) { return std::pow(r, l) * std::exp(-a * r * r); });
      const double scale = 4.0 * pi * std::tgamma(0.5 * (l + 3)) / 2.0 / std::pow(a, 0.5 * (l + 3));
      for (double g = 0.0; g < 61.0; g += 0.37) {
        ASSERT_NEAR(f(g), gaussian(l, a, g), 1e-11 * scale) << l << " " << a << " " << g;
        if (g == 0.0) continue;
        const double slope = (l / g - g / (2.0 * a)) * gaussian(l, a, g);
        ASSERT_NEAR(f.derivative(g), slope, 1e-9 * scale) << l << " " << a << " " << g;
      }
    }
}

TEST(RadialTransform, StepAtTheEnd) {  // f = 1 up to 2.5 bohr: 4 pi (sin x - x cos x) / g^3
  const RadialTransform f(0, uniform(2.5, 3), [](double) { return 1.0; });
  EXPECT_NEAR(f(0.0), 4.0 * pi / 3.0 * std::pow(2.5, 3), 1e-11);
  for (double g = 0.3; g < 400.0; g *= 1.3) {
    const double x = 2.5 * g;
    ASSERT_NEAR(f(g), 4.0 * pi * (std::sin(x) - x * std::cos(x)) / (g * g * g), 1e-9) << g;
    ASSERT_NEAR(f.integrate(g), f(g), 1e-9) << g;
  }
}

TEST(RadialTransform, SumOverAUniformMesh) {
  std::vector<double> values;
  for (int i = 1; i <= 200; ++i) values.push_back(std::pow(0.04 * i, 2) * std::exp(-2.0 * std::pow(0.04 * i, 2)));
  const RadialTransform f(2, 0.04, values);
  for (double g = 0.0; g < 25.0; g += 0.61) ASSERT_NEAR(f(g), gaussian(2, 2.0, g), 1e-11) << g;
}

TEST(RadialTransform, ManyThreadsAtTheSameTime) {
  const RadialTransform f(1, uniform(6.0, 80), [](double r) { return r * std::exp(-r * r); });
  double worst = 0.0;
#pragma omp parallel for reduction(max : worst) num_threads(8) schedule(dynamic)
  for (int i = 0; i < 4000; ++i) {
    const double g = 0.01 * i;
    worst = std::max(worst, std::abs(f(g) - gaussian(1, 1.0, g)));
  }
  EXPECT_LT(worst, 1e-10);
}

TEST(RadialTransform, RefusesInvalidArguments) {
  const auto one = [](double) { return 1.0; };
  EXPECT_THROW(RadialTransform(-1, {0.0, 1.0}, one), Error);
  EXPECT_THROW(RadialTransform(8, {0.0, 1.0}, one), Error);
  EXPECT_THROW(RadialTransform(0, {0.0}, one), Error);
  EXPECT_THROW(RadialTransform(0, {0.0, 1.0, 1.0}, one), Error);
  EXPECT_THROW(RadialTransform(0, 0.1, std::vector<double>{}), Error);
  EXPECT_THROW(RadialTransform(0, 0.0, std::vector<double>{1.0}), Error);
}

}  // namespace
}  // namespace wavegrid::test_radial_transform
