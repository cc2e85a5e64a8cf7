// When the self-consistency loop changes its method, and to what.
#include <gtest/gtest.h>

#include <wavegrid/scf/stagnation.hpp>

namespace wavegrid::test_stagnation {
namespace {

/// The number of equal errors after which a method changes; 0 if none does.
int steps_until_change(Stagnation& stagnation, double error) {
  for (int step = 1; step <= 100; ++step)
    if (stagnation.update(error)) return step;
  return 0;
}

TEST(Stagnation, AFallingErrorChangesNothing) {
  Stagnation stagnation(true);
  double error = 1;
  for (int step = 0; step < 100; ++step) EXPECT_FALSE(stagnation.update(error *= 0.9)) << step;
}

TEST(Stagnation, ThePreconditionerChangesFirstThenTheMixingParameterTwice) {
  Stagnation stagnation(true);
  EXPECT_FALSE(stagnation.update(1e-3));
  EXPECT_EQ(steps_until_change(stagnation, 2e-3), Stagnation::patience);
  auto [options, what] = stagnation.next({.preconditioner = {PreconditionerKind::none}});
  EXPECT_EQ(options.preconditioner.kind, PreconditionerKind::ldos);
  EXPECT_EQ(what, "the error did not halve in 8 steps: ldos instead of none preconditioner");
  for (const double beta : {0.3, 0.09}) {
    EXPECT_EQ(steps_until_change(stagnation, 2e-3), Stagnation::patience);
    std::tie(options, what) = stagnation.next(options);
    EXPECT_NEAR(options.beta, beta, 1e-12);
    EXPECT_EQ(options.preconditioner.kind, PreconditionerKind::ldos);
  }
  EXPECT_EQ(what, "the error did not halve in 8 steps: mixing parameter 0.090, history dropped");
  EXPECT_EQ(steps_until_change(stagnation, 2e-3), 0);
}

TEST(Stagnation, AChosenPreconditionerStays) {
  Stagnation stagnation(false);
  EXPECT_FALSE(stagnation.update(1e-3));
  EXPECT_EQ(steps_until_change(stagnation, 1e-3), Stagnation::patience);
  const auto [options, what] = stagnation.next({.preconditioner = {PreconditionerKind::kerker}});
  EXPECT_EQ(options.preconditioner.kind, PreconditionerKind::kerker);
  EXPECT_NEAR(options.beta, 0.3, 1e-12);
}

}  // namespace
}  // namespace wavegrid::test_stagnation
