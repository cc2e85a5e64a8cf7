// The estimate of the error of the outer loop of exact exchange, for loops that fall by a known factor.
#include <gtest/gtest.h>

#include <wavegrid/calculation/outer_error.hpp>

namespace wavegrid::test_outer_error {
namespace {

/// Differences d of loops in which P - P0 falls by `a`, the first 1e-3 Ha, with what rounding adds to each.
OuterError after(int loops, double a, double rounding) {
  OuterError error;
  double d = 1e-3;
  for (int i = 0; i < loops; ++i, d *= a * a) error.add(-2.0 + d, -2.0, rounding);
  return error;
}

TEST(OuterError, IsThatOfAGeometricSeries) {
  const double d = 1e-3 * std::pow(0.2, 6);
  EXPECT_NEAR(after(4, 0.2, 0).estimate(), d * 0.2 / 0.8, 1e-12);
  EXPECT_NEAR(after(4, 0.2, 0).next(), 0.04 * d * 0.2 / 0.8, 1e-13);
  EXPECT_NEAR(after(4, 0.2, 0).difference_after_next().value(), d * std::pow(0.2, 4), 1e-13);
}

TEST(OuterError, HasNoExpectationBeforeTheFirstLoop) { EXPECT_FALSE(OuterError().difference_after_next().has_value()); }

TEST(OuterError, IsNoSmallerThanRounding) {
  OuterError error = after(2, 0.2, 0);
  error.add(-2.0, -2.0, 1e-7);  // equal by chance
  EXPECT_GE(error.estimate(), 1e-9);
  error.add(-2.0 + 1e-12, -2.0, 0);  // the fall from rounding to this says nothing of the loop
  EXPECT_GE(error.estimate(), 1e-12 * 0.2 / 0.8);
}

TEST(OuterError, KnowsASlowLoop) {
  EXPECT_FALSE(after(4, 0.3, 0).is_slow());
  EXPECT_TRUE(after(4, 0.8, 0).is_slow());
}

}  // namespace
}  // namespace wavegrid::test_outer_error
