// A session solved again after atoms or cell have changed, compared with new calculations.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/random.hpp>
#include <wavegrid/calculation/session.hpp>
#include <wavegrid/problem/choose_kpoints.hpp>
#include <wavegrid/pseudo/gth_table.hpp>

#include "of_one_rank.hpp"

namespace wavegrid::test_session {
namespace {

Pseudopotentials pseudopotentials_of(const Crystal& crystal) {
  static const GthTable table(std::string(WAVEGRID_SOURCE_DIR) + "/python/wavegrid/data/pseudopotentials/gth-lda.gth");
  Pseudopotentials all;
  for (const std::string& element : crystal.species) all.push_back(std::make_shared<GthPotential>(table.find(element)));
  return all;
}

Problem problem_of(Crystal crystal, double ecut, const Int3& grid, Index bands, double width) {
  Problem p{.crystal = std::move(crystal), .pseudopotentials = {}, .scf = {}};
  p.pseudopotentials = pseudopotentials_of(p.crystal);
  p.ecut = ecut;
  p.grid = grid;
  p.bands = bands;
  if (width > 0) p.smearing = {SmearingKind::fermi_dirac, width};
  p.scf.energy_tolerance = 1e-11;
  p.transport = Transport::alltoallv;
  p.precision = Precision::double_only;
  return p;
}

/// Al4 at Gamma, real wave functions.
Problem aluminium() {
  const Crystal crystal{Lattice({{{7.65, 0, 0}, {0, 7.65, 0}, {0, 0, 7.65}}}),
                        {"Al"},
                        {{0, {0.01, 0, 0}}, {0, {0, 0.52, 0.5}}, {0, {0.5, 0, 0.49}}, {0, {0.5, 0.5, 0.02}}}};
  return problem_of(crystal, 5, {16, 16, 16}, 12, 0.01);
}

/// Si2 on a mesh with symmetry, which a displacement breaks.
Problem silicon() {
  const Crystal crystal{Lattice({{{0, 5.13, 5.13}, {5.13, 0, 5.13}, {5.13, 5.13, 0}}}),
                        {"Si"},
                        {{0, {0, 0, 0}}, {0, {0.25, 0.25, 0.25}}}};
  Problem p = problem_of(crystal, 5, {15, 15, 15}, 4, 0);
  p.mode = Mode::complex;
  p.mesh = KMesh{{2, 2, 2}, {0, 0, 0}};
  p.follow_symmetry = true;
  KPointChoice choice = choose_kpoints(p.crystal, {}, {p.grid}, *p.mesh, true);
  p.kpoints = std::move(choice.points);
  p.symmetry = std::move(choice.group);
  return p;
}

std::vector<Vec3> moved(const Problem& p, int step, double distance) {
  std::vector<Vec3> positions;
  for (std::size_t a = 0; a < p.crystal.atoms.size(); ++a) {
    Vec3 position = p.crystal.atoms[a].position;
    for (std::size_t axis = 0; axis < 3; ++axis)
      position[axis] += distance * random_at({step, static_cast<int>(a), static_cast<int>(axis)});
    positions.push_back(position);
  }
  return positions;
}

/// The result of the session in its current geometry is that of a new calculation on one rank.
CalculationResult expect_as_from_scratch(Session& session, double within = 1e-9) {
  CalculationResult again = session.solve();
  EXPECT_TRUE(again.scf.converged);
  if (const auto fresh = of_one_rank::calculation(session.problem())) {
    EXPECT_NEAR(again.scf.energies.free(), fresh->scf.energies.free(), within);
    EXPECT_NEAR(again.scf.magnetisation.total, fresh->scf.magnetisation.total, 1e-4);
    EXPECT_EQ(again.scf.eigenvalues.size(), fresh->scf.eigenvalues.size());
    EXPECT_EQ(again.parallel.plane_waves, fresh->parallel.plane_waves);
  }
  return again;
}

TEST(Session, FollowsMovingAtoms) {
  for (const Precision precision : {Precision::double_only, Precision::mixed}) {
    Problem p = aluminium();
    p.precision = precision;
    p.derivatives.forces = true;
    Session session(Comm::world(), p);
    (void)expect_as_from_scratch(session, 1e-10);
    for (int step = 0; step < 3; ++step) {
      session.set_positions(moved(p, step, 0.002));
      ASSERT_TRUE(expect_as_from_scratch(session).derivatives.forces);
    }
  }
}

TEST(Session, ReturnsToTheFirstGeometry) {
  const Problem p = aluminium();
  Session session(Comm::world(), p);
  const double first = session.solve().scf.energies.free();
  session.set_positions(moved(p, 1, 0.02));
  (void)session.solve();
  session.set_positions(moved(p, 1, 0.0));
  EXPECT_NEAR(session.solve().scf.energies.free(), first, 1e-9);
}

TEST(Session, ASecondSolveOfTheSameGeometryIsFast) {
  Session session(Comm::world(), aluminium());
  const CalculationResult first = session.solve(), second = session.solve();
  EXPECT_NEAR(first.scf.energies.free(), second.scf.energies.free(), 1e-10);
  EXPECT_LE(second.scf.steps, 2);
}

TEST(Session, ASmallDisplacementNeedsFewerSteps) {
  const Problem p = aluminium();
  Session session(Comm::world(), p);
  (void)session.solve();
  session.set_positions(moved(p, 1, 1e-4));
  const CalculationResult again = session.solve();
  EXPECT_LT(again.scf.steps, run_calculation(Comm::world(), session.problem()).scf.steps);
}

TEST(Session, ReportsWhatFollowsTheLoop) {
  Problem p = aluminium();
  p.mode = Mode::complex;
  p.kpoints = {{{0.1, 0.2, 0.3}, 1.0}};
  p.band_path = {{{0.0, 0.1, 0.5}, 0}, {{0.0, 0.2, 0.5}, 0}, {{0.0, 0.3, 0.5}, 0}};
  p.derivatives.forces = true;
  p.scf.energy_tolerance = 1e-5;
  std::vector<Activity> seen;
  (void)run_calculation(Comm::world(), p, {}, nullptr, [&](const Activity& activity) { seen.push_back(activity); });
  ASSERT_GE(seen.size(), 3U);
  EXPECT_EQ(seen.front().stage, Stage::mixing);
  EXPECT_FALSE(seen.front().preconditioner.reason.empty());
  EXPECT_EQ(seen[1].stage, Stage::derivatives);
  Index done = 0;
  for (auto report = seen.begin() + 2; report != seen.end(); ++report) {
    EXPECT_EQ(report->stage, Stage::bands);
    EXPECT_EQ(report->done, done++);
    EXPECT_GE(report->groups, 1);
  }
  EXPECT_EQ(seen.back().done, seen.back().total);
}

TEST(Session, FollowsTheCell) {
  Session session(Comm::world(), aluminium());
  (void)session.solve();
  const Mat3 cells[] = {{Vec3{7.8, 0, 0}, Vec3{0, 7.65, 0.1}, Vec3{0, 0, 7.6}},
                        {Vec3{7.4, 0.2, 0}, Vec3{0, 7.5, 0}, Vec3{0, 0, 7.6}}};
  for (const Mat3& cell : cells) {
    session.set_cell(cell);
    (void)expect_as_from_scratch(session);
  }
  session.set_cell(cells[0], Int3{18, 18, 18});
  (void)expect_as_from_scratch(session);
}

TEST(Session, UnfoldsTheBandsIfSymmetryIsLost) {
  const Problem p = silicon();
  Session session(Comm::world(), p);
  (void)session.solve();
  const std::size_t irreducible = session.problem().kpoints.size();
  session.set_positions({{0, 0, 0}, {0.25, 0.26, 0.245}});
  EXPECT_GT(session.problem().kpoints.size(), irreducible);
  (void)expect_as_from_scratch(session);
  session.set_positions({{0, 0, 0}, {0.25, 0.25, 0.25}});
  EXPECT_EQ(session.problem().kpoints.size(), irreducible);
  (void)expect_as_from_scratch(session);
}

/// In one k-point group, and in as many as there are ranks and old k-points.
TEST(Session, UnfoldsAndReassignsTogether) {
  for (const int groups : {1, std::min(Comm::world().size(), 3)}) {
    Problem p = silicon();
    p.groups = {.kpoint_groups = groups, .band_groups = 1};
    Session session(Comm::world(), p);
    (void)session.solve();
    session.set_cell({Vec3{0, 5.2, 5.2}, Vec3{5.1, 0, 5.15}, Vec3{5.1, 5.1, 0}});
    (void)expect_as_from_scratch(session);
    // The small grid does not hold the spheres of the larger cell.
    session.set_cell({Vec3{0, 4.2, 4.25}, Vec3{4.2, 0, 4.2}, Vec3{4.25, 4.2, 0}}, Int3{10, 10, 10});
    (void)expect_as_from_scratch(session);
  }
}

/// An exception in any stage leaves a session that can be solved.
TEST(Session, ContinuesAfterAnInterruptedSolve) {
  for (const int last : {1, 3, 100}) {
    Problem p = aluminium();
    p.precision = Precision::mixed;
    Session session(Comm::world(), p);
    int steps = 0;
    const auto interrupt = [&](const ScfStep&) {
      if (++steps == last) throw Error(ErrorKind::environment, "interrupted");
    };
    if (last < 100)
      EXPECT_THROW((void)session.solve(interrupt), Error);
    else
      (void)session.solve(interrupt);
    session.set_cell({Vec3{7.7, 0, 0}, Vec3{0, 7.65, 0.1}, Vec3{0, 0, 7.6}});
    (void)expect_as_from_scratch(session);
  }
}

TEST(Session, FollowsWithSpinAndGroups) {
  Problem p = problem_of({Lattice({{{7, 0, 0}, {0, 7, 0}, {0, 0, 7.5}}}), {"H"}, {{0, {0.1, 0.2, 0.3}}}}, 6,
                         {18, 18, 18}, 3, 0.01);
  p.spins = 2;
  p.initial_magnetic_moments = {0.9};
  p.mode = Mode::complex;
  p.kpoints = {{{0, 0, 0}, 0.5}, {{0.5, 0, 0}, 0.5}};
  const int ranks = Comm::world().size();
  for (const bool by_kpoints : {true, false}) {
    if (ranks == 1 && !by_kpoints) continue;  // the same without groups
    if (ranks > 1)
      p.groups = {.kpoint_groups = by_kpoints ? 2 : 1, .band_groups = by_kpoints ? 1 : ranks % 2 == 0 ? 2 : ranks};
    Session session(Comm::world(), p);
    (void)session.solve();
    session.set_positions({{0.12, 0.2, 0.28}});
    (void)expect_as_from_scratch(session);
    session.set_cell({Vec3{7, 0.1, 0}, Vec3{0, 7.1, 0}, Vec3{0, 0, 7.4}});
    (void)expect_as_from_scratch(session);
  }
}

TEST(Session, ReadsTheFileOfTransportsOnce) {
  const Comm world = Comm::world();
  Problem p = aluminium();
  p.transport = std::nullopt;
  p.transports_file = "session_transports_" + std::to_string(world.size()) + ".txt";
  if (world.rank() == 0) std::remove(p.transports_file.c_str());
  Session session(world, p);
  (void)session.solve();
  session.set_positions({{0.02, 0, 0}, {0, 0.52, 0.5}, {0.5, 0, 0.49}, {0.5, 0.5, 0.02}});
  (void)session.solve();  // all searches have ended
  world.barrier();
  if (world.rank() == 0) {
    EXPECT_EQ(std::ifstream(p.transports_file).good(), world.size() > 1);
    std::ofstream(p.transports_file) << "no tab here\n";
  }
  world.barrier();
  session.set_cell({Vec3{7.1, 0, 0}, Vec3{0, 7.65, 0}, Vec3{0, 0, 7.65}});
  const CalculationResult result = session.solve();
  const auto is_change_of_basis = [](const ExchangeReport& one) { return one.name == "change of basis"; };
  EXPECT_EQ(std::ranges::count_if(result.parallel.exchanges, is_change_of_basis), world.size() > 1 ? 1 : 0);
  world.barrier();
  if (world.rank() == 0) std::remove(p.transports_file.c_str());
}

TEST(Session, RefusesInvalidGeometriesAndKeepsTheOldOne) {
  Session session(Comm::world(), aluminium());
  EXPECT_THROW(session.set_positions({{0, 0, 0}}), Error);
  std::vector<Vec3> together(4, Vec3{0.1, 0.1, 0.1});
  EXPECT_THROW(session.set_positions(together), Error);
  EXPECT_THROW(session.set_cell({Vec3{30, 0, 0}, Vec3{0, 7, 0}, Vec3{0, 0, 7}}), Error);
  EXPECT_EQ(session.problem().crystal.atoms[1].position, aluminium().crystal.atoms[1].position);
  EXPECT_TRUE(session.solve().scf.converged);
}

}  // namespace
}  // namespace wavegrid::test_session
