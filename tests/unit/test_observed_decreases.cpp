// What earlier steps of a loop say of the error of the present one.
#include <gtest/gtest.h>

#include <wavegrid/scf/observed_decreases.hpp>

namespace wavegrid::test_observed_decreases {
namespace {

TEST(ObservedDecreases, RightEstimatesStay) {
  ObservedDecreases observed;
  EXPECT_EQ(observed.corrected(-1, 1e-3), 1e-3);
  observed.add(-1 + 1e-3, 1.1e-3);
  EXPECT_EQ(observed.corrected(-1 + 1e-5, 1.1e-5), 1.1e-5);
  observed.add(-1 + 1e-5, 1.1e-5);
  EXPECT_EQ(observed.corrected(-1, 1e-7), 1e-7);
}

/// As much too small as they were in one of the last two steps.
TEST(ObservedDecreases, SmallEstimatesAreRaised) {
  ObservedDecreases observed;
  observed.add(-1 + 1e-3, 1e-4);
  observed.add(-1 + 1e-5, 1e-5);
  EXPECT_NEAR(observed.corrected(-1, 1e-8), 9.9e-8, 1e-12);
  observed.add(-1, 2e-7);
  EXPECT_NEAR(observed.corrected(-1 - 1e-7, 1e-8), 1e-8, 1e-12);
}

TEST(ObservedDecreases, ASlowFallSaysWhatIsLeft) {
  ObservedDecreases observed;
  const auto energy = [](double error) { return -1 + error; };
  observed.add(energy(4e-4), 1e-2);
  observed.add(energy(2e-4), 1e-2);
  EXPECT_NEAR(observed.corrected(energy(1e-4), 1e-9), 1e-4, 1e-9);
}

}  // namespace
}  // namespace wavegrid::test_observed_decreases
