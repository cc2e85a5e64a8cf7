// Harmonics of any l, and Gaunt coefficients.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include <wavegrid/basis/gaunt.hpp>
#include <wavegrid/basis/harmonics_table.hpp>
#include <wavegrid/basis/spherical_harmonics_gradient.hpp>

namespace wavegrid::test_harmonics_table {
namespace {

const std::vector<Vec3> directions{{0.3, -0.4, 0.5}, {1, 0, 0}, {0, 0, -2}, {-0.7, 0.2, 0.1}, {0, 1, 1}};

Vec3 unit(const Vec3& v) { return (1.0 / norm(v)) * v; }

TEST(HarmonicsTable, IsThatOfLowL) {
  const HarmonicsTable table(6);
  std::vector<double> y(table.size()), again(table.size());
  std::vector<Vec3> gradient(table.size());
  for (const Vec3& direction : directions) {
    table.values(direction, y);
    table.gradients(unit(direction), again, gradient);
    for (int l = 0; l <= 3; ++l)
      for (int m = 0; m <= 2 * l; ++m) {
        const auto at = static_cast<std::size_t>(l * l + m);
        EXPECT_NEAR(y[at], real_ylm(l, m, direction), 1e-14) << l << m;
        EXPECT_NEAR(again[at], y[at], 1e-14);
        const Vec3 expected = real_ylm_gradient(l, m, unit(direction));
        for (std::size_t axis = 0; axis < 3; ++axis) EXPECT_NEAR(gradient[at][axis], expected[axis], 1e-13) << l << m;
      }
  }
  table.values({0, 0, 0}, y);
  EXPECT_NEAR(y[0], real_ylm(0, 0, {0, 0, 0}), 1e-15);
  for (std::size_t at = 1; at < y.size(); ++at) EXPECT_EQ(y[at], 0.0);
}

TEST(HarmonicsTable, GradientsAreThoseOfDifferences) {
  const HarmonicsTable table(8);
  std::vector<double> y(table.size()), above(table.size()), below(table.size());
  std::vector<Vec3> gradient(table.size());
  constexpr double h = 1e-5;
  for (const Vec3& direction : directions) {
    const Vec3 n = unit(direction);
    table.gradients(n, y, gradient);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      Vec3 plus = n, minus = n;
      plus[axis] += h;
      minus[axis] -= h;
      table.values(plus, above);
      table.values(minus, below);
      for (std::size_t at = 0; at < y.size(); ++at)
        EXPECT_NEAR(gradient[at][axis], (above[at] - below[at]) / (2 * h), 1e-7) << at;
    }
  }
}

/// At any direction a product is the sum that its coefficients say.
TEST(Gaunt, ProductsOfHarmonics) {
  const HarmonicsTable table(6);
  std::vector<double> y(table.size());
  for (int l1 = 0; l1 <= 3; ++l1)
    for (int l2 = 0; l2 <= 3; ++l2)
      for (const Vec3& direction : directions) {
        table.values(direction, y);
        std::vector<double> sum(static_cast<std::size_t>((2 * l1 + 1) * (2 * l2 + 1)));
        for (int l = 0; l <= l1 + l2; ++l)
          for (const GauntTerm& term : gaunt_terms(l1, l2, l))
            sum[static_cast<std::size_t>(term.m1 * (2 * l2 + 1) + term.m2)] +=
                term.value * y[static_cast<std::size_t>(l * l + term.m)];
        for (int m1 = 0; m1 <= 2 * l1; ++m1)
          for (int m2 = 0; m2 <= 2 * l2; ++m2)
            EXPECT_NEAR(sum[static_cast<std::size_t>(m1 * (2 * l2 + 1) + m2)],
                        real_ylm(l1, m1, direction) * real_ylm(l2, m2, direction), 1e-13);
      }
  EXPECT_TRUE(gaunt_terms(1, 2, 2).empty());
  EXPECT_TRUE(gaunt_terms(1, 1, 3).empty());
}

}  // namespace
}  // namespace wavegrid::test_harmonics_table
