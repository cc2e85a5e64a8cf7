// How the self-consistency loop ends: with bands added during the loop, with too few of them, and at rounding.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>

#include <wavegrid/calculation/choose_discretisation.hpp>
#include <wavegrid/calculation/session.hpp>
#include <wavegrid/pseudo/gth_table.hpp>

#include "of_one_rank.hpp"

namespace wavegrid::test_ends_of_the_loop {
namespace {

Problem problem_of(Crystal crystal, double ecut, const Int3& grid) {
  const GthTable table(std::string(WAVEGRID_SOURCE_DIR) + "/python/wavegrid/data/pseudopotentials/gth-lda.gth");
  Problem p{.crystal = std::move(crystal), .pseudopotentials = {}, .scf = {}};
  p.pseudopotentials = {std::make_shared<GthPotential>(table.find(p.crystal.species.front()))};
  p.ecut = ecut;
  p.grid = grid;
  p.transport = Transport::alltoallv;
  p.scf.energy_tolerance = 1e-9;
  return p;
}

/// Four atoms of fcc aluminium, 12 electrons. Seven bands end within an occupied multiplet.
Problem aluminium() {
  Problem p = problem_of({Lattice({{{7.65, 0, 0}, {0, 7.65, 0}, {0, 0, 7.65}}}),
                          {"Al"},
                          {{0, {0, 0, 0}}, {0, {0, 0.5, 0.5}}, {0, {0.5, 0, 0.5}}, {0, {0.5, 0.5, 0}}}},
                         4, {14, 14, 14});
  p.bands = 7;
  p.smearing = {SmearingKind::fermi_dirac, 0.02};
  return p;
}

Problem magnetic_aluminium() {
  Problem p = aluminium();
  p.mode = Mode::complex;
  p.kpoints = {{{0.1, 0.2, 0.3}, 0.75}, {{-0.4, 0.25, 0.0}, 0.25}};
  p.spins = 2;
  p.initial_magnetic_moments = {0.5, 0.2, 0.1, 0.3};
  return p;
}

void expect_raised(Problem p, double within) {
  p.may_add_bands = true;
  const CalculationResult raised = run_calculation(Comm::world(), p);
  EXPECT_TRUE(raised.scf.converged);
  EXPECT_FALSE(raised.scf.too_few_bands);
  EXPECT_GT(raised.bands, p.bands);
  EXPECT_EQ(raised.scf.eigenvalues.size(), p.kpoints.size() * static_cast<std::size_t>(p.spins * raised.bands));
  p.may_add_bands = false;
  p.bands = raised.bands;
  EXPECT_NEAR(raised.scf.energies.free(), of_one_rank::free_energy(p), within);
}

TEST(TooFewBands, AreRaisedDuringTheLoop) {
  for (const Precision precision : {Precision::mixed, Precision::double_only})
    for (const Eigensolver solver : {Eigensolver::rmm_diis, Eigensolver::lobpcg}) {
      Problem p = aluminium();
      p.precision = precision;
      p.eigensolver = solver;
      expect_raised(p, 1e-6);  // states occupied to 1e-5 are left out
    }
}

TEST(TooFewBands, AreRaisedWithSpinKPointsAndGroups) {
  Problem p = magnetic_aluminium();
  p.scf.energy_tolerance = 1e-7;
  if (Comm::world().size() % 2 == 0) (Comm::world().size() == 2 ? p.groups.kpoint_groups : p.groups.band_groups) = 2;
  expect_raised(p, 1e-6);
}

TEST(TooFewBands, AreNotConverged) {
  Problem p = aluminium();
  p.scf.max_steps = 20;
  const CalculationResult result = run_calculation(Comm::world(), p);
  EXPECT_FALSE(result.scf.converged);
  EXPECT_TRUE(result.scf.too_few_bands);
  EXPECT_EQ(result.bands, p.bands);
  EXPECT_GT(result.scf.enough_bands, p.bands);
}

TEST(TooFewBands, AreNotRaisedWithoutMemory) {
  Problem p = aluminium();
  p.may_add_bands = true;
  const Comm world = Comm::world();
  if (world.rank() == world.size() - 1) p.memory_limit = estimate_memory(p, world.size()).total();
  try {
    (void)run_calculation(world, p);
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::environment);
    EXPECT_THAT(error.what(), testing::StartsWith("the highest of 7 bands stays occupied, and "));
  }
}

/// A session keeps the larger number of bands.
TEST(TooFewBands, AreRaisedOnceInASession) {
  Problem p = aluminium();
  p.may_add_bands = true;
  Session session(Comm::world(), p);
  const CalculationResult first = session.solve();
  std::vector<Vec3> positions;
  for (const Atom& atom : p.crystal.atoms) positions.push_back(atom.position);
  positions[0][0] += 0.01;
  session.set_positions(positions);
  const CalculationResult second = session.solve();
  EXPECT_TRUE(first.scf.converged && second.scf.converged);
  EXPECT_EQ(second.bands, first.bands);
}

/// A free nitrogen atom with fixed occupations: three bands hold no more than a moment of 1, and with four, that of 3
/// fills all of spin up. Direct minimisation keeps the moment of its initial bands.
TEST(TooFewBands, AreRaisedForAFreeMoment) {
  Problem p =
      problem_of({Lattice({{{8, 0, 0}, {0, 8.1, 0}, {0, 0, 8.2}}}), {"N"}, {{0, {0.5, 0.5, 0.5}}}}, 10, {24, 24, 24});
  p.bands = 3;
  p.spins = 2;
  p.smearing = {SmearingKind::fixed, 0};
  p.initial_magnetic_moments = {1.5};
  p.scf.energy_tolerance = 1e-7;
  p.may_add_bands = true;
  for (const ScfMethod method : {ScfMethod::mixing, ScfMethod::direct}) {
    p.scf.method = method;
    p.bands = method == ScfMethod::direct ? 4 : 3;
    const CalculationResult raised = run_calculation(Comm::world(), p);
    EXPECT_TRUE(raised.scf.converged && !raised.scf.moment_limited);
    EXPECT_NEAR(raised.scf.magnetisation.total, 3, 1e-4);
    EXPECT_EQ(raised.bands, 5);
  }
  p.scf.method = ScfMethod::mixing;
  p.may_add_bands = false;
  p.bands = 3;
  const CalculationResult limited = run_calculation(Comm::world(), p);
  EXPECT_TRUE(limited.scf.moment_limited && !limited.scf.too_few_bands);
  EXPECT_NEAR(limited.scf.magnetisation.total, 1, 1e-4);
  p.scf.max_steps = 4;
  EXPECT_FALSE(run_calculation(Comm::world(), p).scf.moment_limited);  // nothing is known so early
}

/// The bands end within a multiplet of empty states, whose residuals decrease slowly while those of the others are at
/// rounding level.
TEST(Rounding, EndsTheLoopForATinyTolerance) {
  for (const Eigensolver solver :
       {Eigensolver::lobpcg, Eigensolver::rmm_diis, Eigensolver::davidson, Eigensolver::chebyshev}) {
    SCOPED_TRACE(to_string(solver));
    Problem p = problem_of({Lattice({{{0, 5.13, 5.13}, {5.13, 0, 5.13}, {5.13, 5.13, 0}}}),
                            {"Si"},
                            {{0, {0, 0, 0}}, {0, {0.25, 0.25, 0.25}}}},
                           3, {12, 12, 12});
    p.mode = Mode::complex;
    p.kpoints = {{{0, 0, 0.125}, 1.0}};
    p.bands = 7;
    p.smearing = {SmearingKind::fermi_dirac, 0.003};
    p.initial_wavefunctions = InitialWavefunctions::random;
    p.eigensolver = solver;
    p.scf.energy_tolerance = 1e-10;
    const double usual = of_one_rank::free_energy(p);
    p.scf.energy_tolerance = 1e-30;
    p.scf.max_steps = 200;
    const CalculationResult tiny = run_calculation(Comm::world(), p);
    EXPECT_TRUE(tiny.scf.converged);
    EXPECT_TRUE(tiny.scf.at_rounding);
    EXPECT_LT(tiny.scf.error_estimate, 1e-13);
    EXPECT_NEAR(tiny.scf.energies.free(), usual, 1e-9);
  }
}

}  // namespace
}  // namespace wavegrid::test_ends_of_the_loop
