// The line search of direct minimisation, and its estimate of what is left to fall.
#include <gtest/gtest.h>

#include <cmath>

#include "scf/energy_falls.hpp"
#include "scf/parabola.hpp"

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

TEST(EnergyFalls, OfAGeometricSeriesGiveTheRest) {
  for (const double ratio : {0.1, 0.3, 0.7}) {
    EnergyFalls falls;
    double fall = 1e-2, rest = 0;
    for (int step = 0; step < 8; ++step, fall *= ratio) {
      EXPECT_TRUE(step >= 6 || falls.rest() == 0) << "too few steps say nothing";
      falls.add(fall);
    }
    for (int step = 0; step < 500; ++step, fall *= ratio) rest += fall;
    EXPECT_NEAR(falls.rest() / rest, 1.0, 1e-9) << ratio;
  }
}

TEST(EnergyFalls, ThatDoNotDecreaseLeaveMuch) {
  EnergyFalls falls;
  for (int step = 0; step < 6; ++step) falls.add(1e-3);
  EXPECT_NEAR(falls.rest(), 9 * 3e-3, 1e-12);
  falls.clear();
  EXPECT_EQ(falls.rest(), 0);
}

}  // namespace
}  // namespace wavegrid::test_direct_minimisation
