// What an observer sees of each step on each discretisation: its density, potential and bands, which stay as they are.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <vector>

#include <wavegrid/base/error.hpp>
#include <wavegrid/calculation/session.hpp>

#include "both_discretisations.hpp"

namespace wavegrid::test_observer {
namespace {

template <class Discretisation>
class Observer : public testing::Test {};
TYPED_TEST_SUITE(Observer, both_discretisations::Discretisations);

/// On an even number of ranks in two groups of k-points.
template <class Discretisation>
Problem problem() {
  Problem p = Discretisation::problem();
  p.scf.energy_tolerance = 1e-7;
  if (Comm::world().size() % 2 == 0) p.groups.kpoint_groups = 2;
  return p;
}

/// One band, which is full.
template <class Discretisation>
Problem minimised() {
  Problem p = problem<Discretisation>();
  p.smearing = {SmearingKind::fixed, 0};
  p.spins = 1;
  p.initial_magnetic_moments = {};
  p.bands = 1;
  p.scf.method = ScfMethod::direct;
  return p;
}

/// The electrons in copies of bands: the sum of f |psi|^2 over the rows of all ranks. Collective.
double electrons_in(const std::vector<SolvedBands>& sets) {
  double sum = 0;
  for (const SolvedBands& bands : sets)
    for (std::size_t b = 0; b < bands.occupations.size(); ++b)
      for (std::size_t row = 0; row < bands.rows.size(); ++row)
        sum += bands.occupations[b] * bands.weights[row] * std::norm(bands.coefficients[b * bands.rows.size() + row]);
  return Comm::world().sum(sum);
}

/// Checks the state of each step, and keeps the last one.
struct Watch {
  Session& session;
  int steps = 0, single_steps = 0;
  SolvedFields fields{};
  std::vector<SolvedBands> bands{};

  void operator()(const ScfStep& step) {
    ++(step.single_precision ? single_steps : steps);
    const double rounding = step.single_precision || steps < 2 ? 1e-5 : 1e-9;  // a density may be of single precision
    fields = session.fields();
    bands = session.bands();
    const Problem& p = session.problem();
    ASSERT_EQ(fields.potential.size(), static_cast<std::size_t>(p.spins));
    ASSERT_EQ(fields.potential[0].size(), fields.points.size());
    EXPECT_NEAR(both_discretisations::integral(p, fields.density[0]), 2.0, rounding);
    EXPECT_NEAR(electrons_in(bands), 2.0, rounding);
    both_discretisations::Residuals residuals;
    if (step.single_precision) {
      EXPECT_THROW(session.visit_bands(residuals), Error);
      return;
    }
    session.visit_bands(residuals);  // in the potential in which they were found
    EXPECT_LT(residuals.largest, 1e-9);
    EXPECT_EQ(residuals.sets, static_cast<int>(bands.size()));
  }
};

/// The result of a solve is the same with and without an observer that asks for everything.
void expect_unchanged(const Problem& p, const CalculationResult& seen) {
  const CalculationResult alone = Session(Comm::world(), p).solve();
  EXPECT_TRUE(seen.scf.converged);
  EXPECT_EQ(seen.scf.steps, alone.scf.steps);
  EXPECT_EQ(seen.scf.energies.free(), alone.scf.energies.free());
  EXPECT_EQ(seen.scf.eigenvalues, alone.scf.eigenvalues);
  EXPECT_EQ(seen.derivatives.forces->total, alone.derivatives.forces->total);
}

void expect_same_bands(const std::vector<SolvedBands>& one, const std::vector<SolvedBands>& other) {
  ASSERT_EQ(one.size(), other.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].eigenvalues, other[i].eigenvalues);
    EXPECT_EQ(one[i].occupations, other[i].occupations);
    EXPECT_EQ(one[i].rows, other[i].rows);
    EXPECT_EQ(one[i].coefficients, other[i].coefficients);
  }
}

void expect_near(const SpinFields& one, const SpinFields& other, double tolerance) {
  ASSERT_EQ(one.size(), other.size());
  for (std::size_t s = 0; s < one.size(); ++s)
    for (std::size_t i = 0; i < one[s].size(); ++i) ASSERT_NEAR(one[s][i], other[s][i], tolerance);
}

/// The largest root mean square over the electrons of the difference of a potential, Ha. Where there are few electrons
/// a potential changes much with their density, 5e-3 Ha where the energy changes by 1e-7. Collective.
double distance(const Problem& p, const SolvedFields& one, const SpinFields& other) {
  const FieldValues& n = one.density[0];
  double largest = 0;
  for (std::size_t s = 0; s < other.size(); ++s) {
    FieldValues squares(n);
    for (std::size_t i = 0; i < n.size(); ++i) squares[i] *= std::pow(one.potential[s][i] - other[s][i], 2);
    largest = std::max(largest, both_discretisations::integral(p, squares));
  }
  return std::sqrt(largest / both_discretisations::integral(p, n));
}

/// Solves with an observer of all steps.
void expect_observed(const Problem& p) {
  Session session(Comm::world(), p);
  Watch watch{session};
  const CalculationResult result = session.solve(std::ref(watch));
  EXPECT_EQ(watch.single_steps > 0, result.mixed_precision);
  EXPECT_GE(watch.steps, 1);
  expect_same_bands(watch.bands, session.bands());
  // That of the output density differs to first order in what is left of the density's error.
  EXPECT_LT(distance(p, watch.fields, session.fields().potential), 2 * std::sqrt(p.scf.energy_tolerance));
  expect_unchanged(p, result);
}

TYPED_TEST(Observer, SeesTheStateOfEachStep) {
  Problem p = problem<TypeParam>();
  expect_observed(p);
  if (p.mesh_basis) return;  // in double precision always
  p.precision = Precision::mixed;
  expect_observed(p);
}

TYPED_TEST(Observer, SeesRealBands) {
  Problem p = problem<TypeParam>();
  p.groups = {};
  p.kpoints = {{{0, 0, 0}, 1.0}};
  p.mode = Mode::gamma;
  if (!p.mesh_basis) p.precision = Precision::mixed;
  expect_observed(p);
}

TYPED_TEST(Observer, SeesADirectMinimisation) {
  const Problem p = minimised<TypeParam>();
  Session session(Comm::world(), p);
  Watch watch{session};
  const CalculationResult result = session.solve(std::ref(watch));
  expect_same_bands(watch.bands, session.bands());
  EXPECT_EQ(watch.fields.density, session.fields().density);
  expect_near(watch.fields.potential, session.fields().potential, 1e-10);
  expect_unchanged(p, result);
}

TYPED_TEST(Observer, MayEndASolve) {
  const Problem p = problem<TypeParam>();
  Session session(Comm::world(), p);
  const auto interrupt = [&](const ScfStep& step) {
    if (step.step == 1) return;
    EXPECT_THROW((void)session.solve(), Error);
    EXPECT_THROW(session.set_positions({{0.1, 0.2, 0.31}, {0.13, 0.21, 0.55}}), Error);
    EXPECT_THROW((void)session.write_checkpoint(), Error);
    (void)session.fields();
    throw Error(ErrorKind::bad_input, "seen enough");
  };
  EXPECT_THROW((void)session.solve(interrupt), Error);
  EXPECT_THROW((void)session.fields(), Error);
  EXPECT_THROW((void)session.bands(), Error);
  EXPECT_TRUE(session.solve().scf.converged);
}

TYPED_TEST(Observer, SeesTheKineticEnergyDensityOfAMetaGga) {
  Problem p = problem<TypeParam>();
  p.xc = "R2SCAN";
  p.scf.max_steps = 3;
  Session session(Comm::world(), p);
  int steps = 0;
  (void)session.solve([&](const ScfStep&) {
    const SolvedFields fields = session.fields();
    ASSERT_EQ(fields.kinetic_density.size(), 2U);
    EXPECT_GT(both_discretisations::integral(p, fields.kinetic_density[0]), 0.1);
    both_discretisations::Residuals residuals;
    session.visit_bands(residuals);
    EXPECT_LT(residuals.largest, 1e-9);
    ++steps;
  });
  EXPECT_EQ(steps, 3);
}

}  // namespace
}  // namespace wavegrid::test_observer
