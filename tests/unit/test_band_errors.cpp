// The error that bands leave in an energy, and the residuals at which it is small.
#include <gtest/gtest.h>

#include <cmath>

#include <wavegrid/eigen/band_errors.hpp>

namespace wavegrid::test_band_errors {
namespace {

constexpr double least = 0.5;

Residuals residuals(std::vector<double> squares) {
  std::vector<double> errors(squares);
  for (double& error : errors) error /= least;
  return {std::move(squares), std::move(errors), least};
}

TEST(BandErrors, OfOccupiedBandsAreThoseOfTheOperator) {
  const BandErrors errors({-1.0, -0.5}, {2.0, 2.0}, residuals({1e-6, 1e-8}));
  EXPECT_NEAR(errors.total(), 2.0 * (1e-6 + 1e-8) / least, 1e-20);
}

TEST(BandErrors, TheHighestBandMayBeAsWrongAsItsResidual) {
  const BandErrors errors({-1.0, 0.3, 0.302}, {2.0, 1e-3, 1e-5}, residuals({0, 1e-8, 4e-6}));
  EXPECT_NEAR(errors.total(), 1e-3 * 1e-8 / 0.01 + 1e-5 * 2e-3, 1e-20);
}

TEST(BandErrors, ABandAtItsBoundAddsWhatIsAllowed) {
  const std::vector<double> values{-1.0, 0.2, 0.25, 0.5}, occupations{2.0, 1.5, 0.1, 0.0};
  const LockBounds bounds = BandErrors(values, occupations, residuals({1e-7, 2e-7, 3e-7, 1e-4})).bounds(1e-10);
  EXPECT_TRUE(std::isinf(bounds[3]));
  for (std::size_t b = 0; b < 3; ++b) {
    std::vector<double> squares(4, 0.0);
    squares[b] = bounds[b];
    EXPECT_NEAR(BandErrors(values, occupations, residuals(squares)).total(), 1e-10, 1e-18) << b;
  }
}

TEST(BandErrors, ExactBandsHaveNone) {
  const BandErrors errors({-1.0, 0.2, 0.2}, {2.0, 1e-4, 1e-4}, residuals({0, 0, 0}));
  EXPECT_EQ(errors.total(), 0.0);
  for (const double bound : errors.bounds(1e-9)) EXPECT_TRUE(std::isinf(bound));
}

}  // namespace
}  // namespace wavegrid::test_band_errors
