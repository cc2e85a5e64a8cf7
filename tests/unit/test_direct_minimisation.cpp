// The line search of direct minimisation, and its estimate of what is left to fall.
#include <gtest/gtest.h>

#include <cmath>

#include <wavegrid/scf/energy_decreases.hpp>
#include <wavegrid/scf/parabola.hpp>

namespace wavegrid::test_direct_minimisation {
namespace {

TEST(Parabola, HasItsMinimum) {
  const auto energy = [](double t) { return -2.0 * t + 0.5 * t * t; };  // lowest at 2
  for (const double trial : {0.6, 1.0, 5.0}) EXPECT_NEAR(parabola_minimum(-2.0, trial, energy(trial)), 2.0, 1e-12);
}

TEST(Parabola, GoesNoFurtherThanFourTimesTheTrial) {
  EXPECT_DOUBLE_EQ(parabola_minimum(-1.0, 0.5, -0.6), 2.0);     // bent downwards
  EXPECT_DOUBLE_EQ(parabola_minimum(-1.0, 0.5, -0.4999), 2.0);  // hardly bent
}

TEST(EnergyDecreases, OfAGeometricSeriesGiveTheRest) {
  for (const double ratio : {0.1, 0.3, 0.7}) {
    EnergyDecreases decreases;
    double decrease = 1e-2, remaining = 0;
    for (int step = 0; step < 8; ++step, decrease *= ratio) {
      EXPECT_TRUE(step >= 6 || decreases.remaining() == 0) << "too few steps say nothing";
      decreases.add(decrease);
    }
    for (int step = 0; step < 500; ++step, decrease *= ratio) remaining += decrease;
    EXPECT_NEAR(decreases.remaining() / remaining, 1.0, 1e-9) << ratio;
  }
}

TEST(EnergyDecreases, ThatDoNotDecreaseLeaveMuch) {
  EnergyDecreases decreases;
  for (int step = 0; step < 6; ++step) decreases.add(1e-3);
  EXPECT_NEAR(decreases.remaining(), 9 * 3e-3, 1e-12);
  decreases.clear();
  EXPECT_EQ(decreases.remaining(), 0);
}

}  // namespace
}  // namespace wavegrid::test_direct_minimisation
