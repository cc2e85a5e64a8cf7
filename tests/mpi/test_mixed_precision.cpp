// Whole calculations that begin in single precision, compared with double precision throughout.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <wavegrid/calculation/session.hpp>
#include <wavegrid/planewaves/plane_wave_rules.hpp>
#include <wavegrid/pseudo/gth_table.hpp>

namespace wavegrid::test_mixed_precision {
namespace {

Problem problem(Crystal crystal, double ecut, int n, Index bands, double width) {
  static const GthTable table(std::string(WAVEGRID_SOURCE_DIR) + "/python/wavegrid/data/pseudopotentials/gth-lda.gth");
  Problem p{.crystal = std::move(crystal), .pseudopotentials = {}, .scf = {}};
  for (const std::string& element : p.crystal.species)
    p.pseudopotentials.push_back(std::make_shared<GthPotential>(table.find(element)));
  p.ecut = ecut;
  p.grid = {n, n, n};
  p.bands = bands;
  if (width > 0) p.smearing = {SmearingKind::fermi_dirac, width};
  p.scf.energy_tolerance = 1e-9;
  p.transport = Transport::alltoallv;
  return p;
}

/// A distorted Al4 at Gamma, real wave functions.
Problem aluminium() {
  const Crystal crystal{Lattice({{{7.65, 0, 0}, {0, 7.65, 0}, {0, 0, 7.65}}}),
                        {"Al"},
                        {{0, {0.01, 0, 0}}, {0, {0, 0.52, 0.5}}, {0, {0.5, 0, 0.49}}, {0, {0.5, 0.5, 0.02}}}};
  return problem(crystal, 6, 16, 12, 0.00735);
}

/// Si2 with fixed occupations at two k-points.
Problem silicon() {
  const Crystal crystal{Lattice({{{0, 5.13, 5.13}, {5.13, 0, 5.13}, {5.13, 5.13, 0}}}),
                        {"Si"},
                        {{0, {0, 0, 0}}, {0, {0.25, 0.27, 0.24}}}};
  Problem p = problem(crystal, 6, 15, 4, 0);
  p.mode = Mode::complex;
  p.kpoints = {{{0.25, 0, 0}, 0.25}, {{0.25, 0.5, 0.125}, 0.75}};
  return p;
}

/// A hydrogen atom with its spin in a box.
Problem hydrogen() {
  Problem p = problem({Lattice({{{8, 0, 0}, {0, 8, 0}, {0, 0, 8}}}), {"H"}, {{0, {0.1, 0.2, 0.3}}}}, 8, 20, 3, 0.01);
  p.spins = 2;
  p.initial_magnetic_moments = {0.9};
  return p;
}

struct Followed {
  CalculationResult result;
  std::vector<ScfStep> steps;
};

Followed run(Problem p, Precision precision) {
  p.precision = precision;
  Followed run;
  run.result = run_calculation(Comm::world(), p, [&](const ScfStep& step) { run.steps.push_back(step); });
  return run;
}

/// Steps are numbered from 1, single precision first, double precision last. The evaluation in double precision of
/// bands that converged in single has the number of their last step.
void expect_in_order(const Followed& run) {
  ASSERT_FALSE(run.steps.empty());
  EXPECT_EQ(run.steps.front().step, 1);
  EXPECT_EQ(run.steps.back().step, run.result.scf.steps);
  for (std::size_t i = 1; i < run.steps.size(); ++i) {
    const bool changes = run.steps[i - 1].single_precision && !run.steps[i].single_precision;
    EXPECT_THAT(run.steps[i].step - run.steps[i - 1].step, testing::AnyOf(1, changes ? 0 : 1));
    EXPECT_GE(run.steps[i - 1].single_precision, run.steps[i].single_precision);
    EXPECT_GT(run.steps[i].h_applications, run.steps[i - 1].h_applications);
  }
  EXPECT_FALSE(run.steps.back().single_precision);
  EXPECT_EQ(run.steps.back().free_energy, run.result.scf.energies.free());
}

TEST(MixedPrecision, GivesTheSameEnergiesAndEigenvalues) {
  int number = 0;
  for (const Problem& p : {aluminium(), silicon(), hydrogen()}) {
    SCOPED_TRACE("problem " + std::to_string(number++));
    const Followed both = run(p, Precision::mixed), all_double = run(p, Precision::double_only);
    ASSERT_TRUE(both.result.scf.converged && all_double.result.scf.converged);
    EXPECT_TRUE(both.result.mixed_precision);
    EXPECT_FALSE(all_double.result.mixed_precision);
    expect_in_order(both);
    expect_in_order(all_double);
    EXPECT_TRUE(both.steps.front().single_precision);
    for (const ScfStep& step : both.steps) {
      EXPECT_EQ(step.rounding > 0, step.single_precision);
      if (step.error_estimate > 0.1 * step.rounding) continue;
      if (step.single_precision) {
        EXPECT_NEAR(step.free_energy, all_double.result.scf.energies.free(), step.rounding) << "step " << step.step;
      }
    }
    EXPECT_NEAR(both.result.scf.energies.free(), all_double.result.scf.energies.free(), 3e-9);
    EXPECT_NEAR(both.result.scf.magnetisation.total, all_double.result.scf.magnetisation.total, 1e-4);
    for (std::size_t i = 0; i < both.result.scf.occupations.size(); ++i) {
      if (std::abs(all_double.result.scf.occupations[i]) < 0.01) continue;  // empty bands converge slowly
      EXPECT_NEAR(both.result.scf.eigenvalues[i], all_double.result.scf.eigenvalues[i], 2e-5) << "state " << i;
    }
  }
}

TEST(MixedPrecision, ReachesTolerancesBelowRounding) {
  Problem p = silicon();
  p.scf.energy_tolerance = 1e-13;
  const Followed both = run(p, Precision::mixed);
  EXPECT_TRUE(both.result.scf.converged);
  expect_in_order(both);
  EXPECT_NEAR(both.result.scf.energies.free(), run(p, Precision::double_only).result.scf.energies.free(), 1e-11);
}

TEST(MixedPrecision, EndsInDoublePrecisionEvenUnconverged) {
  for (const int max_steps : {1, 2, 3}) {
    Problem p = aluminium();
    p.scf.max_steps = max_steps;
    const Followed both = run(p, Precision::mixed);
    EXPECT_FALSE(both.result.scf.converged);
    EXPECT_EQ(both.result.scf.steps, max_steps);
    expect_in_order(both);
  }
}

TEST(MixedPrecision, IsUsedIfTheToleranceAllows) {
  Problem p = aluminium();  // 12 electrons
  EXPECT_TRUE(begins_in_single(p));
  p.scf.energy_tolerance = 1e-10;
  EXPECT_FALSE(begins_in_single(p));
  p.precision = Precision::mixed;
  EXPECT_TRUE(begins_in_single(p));
  p.precision = Precision::double_only;
  p.scf.energy_tolerance = 1e-6;
  EXPECT_FALSE(begins_in_single(p));
}

}  // namespace
}  // namespace wavegrid::test_mixed_precision
