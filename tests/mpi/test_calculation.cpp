// The same tests of a calculation on each discretisation: geometries followed with forces, and what it holds
// afterwards.
#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include <wavegrid/base/error.hpp>
#include <wavegrid/calculation/session.hpp>

#include "both_discretisations.hpp"
#include "of_one_rank.hpp"

namespace wavegrid::test_calculation {
namespace {

template <class Discretisation>
class Calculation : public testing::Test {};
TYPED_TEST_SUITE(Calculation, both_discretisations::Discretisations);

/// Energy, moment and forces are those of a new calculation on one rank.
void expect_as_from_scratch(Session& session) {
  const CalculationResult again = session.solve();
  EXPECT_TRUE(again.scf.converged);
  const auto fresh = of_one_rank::calculation(session.problem());
  if (!fresh) return;
  EXPECT_NEAR(again.scf.energies.free(), fresh->scf.energies.free(), 1e-9);
  EXPECT_NEAR(again.scf.magnetisation.total, fresh->scf.magnetisation.total, 1e-4);
  for (std::size_t a = 0; a < 2; ++a)
    for (std::size_t x = 0; x < 3; ++x)
      EXPECT_NEAR(again.derivatives.forces->total[a][x], fresh->derivatives.forces->total[a][x], 1e-5);
}

TYPED_TEST(Calculation, FollowsAtomsAndCell) {
  const Problem p = TypeParam::problem();
  Session session(Comm::world(), p);
  expect_as_from_scratch(session);
  session.set_positions({{0.1, 0.2, 0.31}, {0.13, 0.21, 0.55}});
  expect_as_from_scratch(session);
  session.set_cell({Vec3{5.05, 0, 0}, Vec3{0, 5.5, 0.1}, Vec3{0.4, 0, 5.95}});
  expect_as_from_scratch(session);
}

TYPED_TEST(Calculation, ShowsWhatItHolds) {
  const Problem p = TypeParam::problem();
  Session session(Comm::world(), p);
  EXPECT_THROW((void)session.fields(), Error);
  const CalculationResult result = session.solve();
  const SolvedFields fields = session.fields();
  ASSERT_EQ(fields.density.size(), 2U);
  ASSERT_EQ(fields.potential.size(), 2U);
  EXPECT_EQ(fields.points.size(), fields.density[0].size());
  EXPECT_NEAR(both_discretisations::integral(p, fields.density[0]), 2.0, 1e-9);
  EXPECT_NEAR(both_discretisations::integral(p, fields.density[1]), result.scf.magnetisation.total, 1e-9);
  for (const SolvedBands& bands : session.bands()) {
    EXPECT_EQ(bands.eigenvalues.size(), 3U);
    EXPECT_EQ(bands.coefficients.size(), 3 * bands.rows.size());
    EXPECT_EQ(bands.kpoint, p.kpoints[static_cast<std::size_t>(bands.k)].k);
  }
  both_discretisations::Residuals residuals;
  session.visit_bands(residuals);
  EXPECT_LT(residuals.largest, 1e-5);  // of first order in what is left of the density's error
  EXPECT_EQ(residuals.sets, static_cast<int>(session.bands().size()));
}

}  // namespace
}  // namespace wavegrid::test_calculation
