// Estimated errors of filtered projectors: where they end, and what they are estimates of.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include <wavegrid/atom/filtered_projectors.hpp>
#include <wavegrid/basis/radial_transform.hpp>
#include <wavegrid/pseudo/gth_table.hpp>

#include "local_xc.hpp"

namespace wavegrid::test_filter_error {
namespace {

/// A pseudopotential with its atom, and waves up to `ecut` on a grid with the given |A| / G_max.
struct Case {
  GthPotential atom;
  PseudoAtom solved;
  GridWaves waves;

  Case(const std::string& element, int valence, double ecut, double ratio)
      : atom(GthTable(std::string(WAVEGRID_SOURCE_DIR) + "/python/wavegrid/data/pseudopotentials/gth-lda.gth")
                 .find(element, valence)),
        solved(solve_pseudo_atom(atom, lda())),
        waves{std::sqrt(2 * ecut), ratio * std::sqrt(2 * ecut)} {}

  [[nodiscard]] FilteredProjectors with_radius(double radius, double accuracy = 1e-9) const {
    return filter_with_radius(atom, solved, waves, radius, accuracy);
  }
};

TEST(FilterError, FallsToRoundingWithTheRadius) {
  const Case iron("Fe", 8, 25, 4);  // couplings of 10 Ha: normal equations end at 3e-6 Ha
  double last = 1;
  for (const double radius : {2.5, 3.0, 3.5, 4.0}) {
    const double error = iron.with_radius(radius).error.energy;
    EXPECT_LT(error, 0.1 * last) << radius;
    last = error;
  }
  EXPECT_LT(last, 1e-8);
}

TEST(FilterError, RadiusIsTheSmallestWithinTheGoal) {
  const Case silicon("Si", 4, 12, 4);
  const auto to = [&](const FilterGoal& goal) {
    return filter_to_accuracy(silicon.atom, silicon.solved, silicon.waves, goal);
  };
  const FilteredProjectors found = to({1e-5, 135});
  EXPECT_LT(found.error.energy, 1e-5);
  EXPECT_LT(found.error.force, 1e-5);
  const FilterError smaller = silicon.with_radius(found.radius - 0.1, 1e-5).error;
  EXPECT_GT(std::max(smaller.energy, smaller.force), 1e-5);
  EXPECT_GT(to({1e-5, 20}).radius, found.radius);  // the stress of a dense crystal
  EXPECT_EQ(to({1e-5, 1e4}).radius, found.radius);
}

/// Single precision keeps 7 digits of a sum over points, which may not consist of terms that nearly cancel.
TEST(FilterError, ProjectorsAreNotLargerThanTheAccuracyNeeds) {
  const Case iron("Fe", 8, 20, 6.6);
  const double radius = filter_to_accuracy(iron.atom, iron.solved, iron.waves, {1e-5, 130}).radius;
  const auto largest = [&](double accuracy) {
    double most = 0;
    for (const FilteredProjector& one : iron.with_radius(radius, accuracy).all)
      for (double r = 0; r < radius; r += 0.01) most = std::max(most, std::abs(one.radial.value(r)));
    return most;
  };
  EXPECT_LT(largest(1e-5), 0.01 * largest(1e-9));
}

TEST(FilterError, IsThatOfTheFilteredFunction) {
  const Case aluminium("Al", 3, 8.83, 3.13);
  const FilteredProjectors found = aluminium.with_radius(3);
  for (const FilteredProjector& one : found.all) {
    const RadialTransform seen(one.l, 0.005, [&] {
      std::vector<double> values;
      for (double r = 0.005; r < found.radius; r += 0.005) values.push_back(one.radial.value(r));
      return values;
    }());
    // Nearly 0 where the grid aliases, and the slope of the function is its derivative.
    EXPECT_LT(std::abs(seen(aluminium.waves.alias)), 2e-4 * std::abs(seen(one.l == 0 ? 0.0 : 1.0)));
    for (const double r : {0.3, 1.1, 2.2, 2.9})
      EXPECT_NEAR(one.radial.slope(r), (one.radial.value(r + 1e-4) - one.radial.value(r - 1e-4)) / 2e-4, 1e-5);
  }
}

}  // namespace
}  // namespace wavegrid::test_filter_error
