// Exact exchange in time: what it conserves, that it can be undone, and that k-points and layouts agree.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <wavegrid/calculation/session.hpp>

#include "checkpoint_case.hpp"
#include "propagation_case.hpp"

namespace wavegrid::test_propagation {
namespace {

Propagation midpoint_steps(int count, double timestep = 0.2) {
  Propagation options = steps(count, timestep);
  options.scheme = TimeScheme::crank_nicolson;
  return options;
}

Propagation kicked(int count, double timestep = 0.2) {
  Propagation options = midpoint_steps(count, timestep);
  options.kick = Kick{{0, 0.005, 0.01}, Gauge::velocity};
  return options;
}

Seen solved_and_propagated(const Comm& comm, const Problem& problem, const Propagation& options) {
  Session session(comm, problem);
  (void)session.solve();
  return propagated(session, options);
}

TEST(PropagationExchange, ConservesTheEnergyAndIsUndoneBackwards) {
  expect_that_it_is_undone(with_exact_exchange(in_plane_waves(), "HF"), TimeScheme::crank_nicolson);
}

TEST(PropagationExchange, SpinPartlyOccupiedBandsAndSpinorsConserveTheEnergy) {
  for (const Problem& problem :
       {with_exact_exchange(chain()), with_exact_exchange(metal()), with_exact_exchange(noncollinear())})
    expect_that_it_is_undone(problem, TimeScheme::crank_nicolson);
}

TEST(PropagationExchange, TheCurrentIsTheDerivativeOfTheEnergy) {
  const Problem problem = with_exact_exchange(chain(), "HF");
  const auto with_kick = [&](double momentum) {
    Propagation options = midpoint_steps(0);
    options.kick = Kick{{0.02, 0.01, momentum}, Gauge::velocity};
    return solved_and_propagated(Comm::world(), problem, options);
  };
  constexpr double step = 0.002;
  const double slope = (with_kick(0.03 + step).energies.front() - with_kick(0.03 - step).energies.front()) / (2 * step);
  EXPECT_NEAR(slope, -problem.crystal.lattice.volume() * with_kick(0.03).currents.front()[2], 1e-6);
}

/// Two cells at Gamma are one cell with two k-points.
TEST(PropagationExchange, AMeshHasTheCurrentOfItsSupercell) {
  Problem cell = hydrogen();
  cell.crystal = {
      Lattice(Mat3{{{6, 0, 0}, {0.5, 7, 0}, {0, 0, 7}}}), {"H"}, {{0, {0.5, 0.5, 0.4}}, {0, {0.5, 0.5, 0.6}}}};
  cell.ecut = 4;
  cell.grid = {14, 14, 14};
  cell.bands = 1;
  cell.xc = "HYB_GGA_XC_PBEH";
  cell.exchange = ExchangeOptions{};
  cell.mesh = KMesh{{2, 1, 1}};
  cell.kpoints = {{{0, 0, 0}, 0.5}, {{0.5, 0, 0}, 0.5}};
  Problem doubled = cell;
  const Mat3& a = cell.crystal.lattice.vectors();
  std::vector<Atom> atoms;
  for (const Atom& atom : cell.crystal.atoms)
    for (const double shift : {0.0, 1.0})
      atoms.push_back({atom.species, {0.5 * (atom.position[0] + shift), atom.position[1], atom.position[2]}});
  doubled.crystal = {Lattice(Mat3{2.0 * a[0], a[1], a[2]}), cell.crystal.species, atoms};
  doubled.grid[0] *= 2;
  doubled.bands = 2;
  doubled.mesh = KMesh{};
  doubled.kpoints = {KPoint{}};
  const Seen one = solved_and_propagated(Comm::world(), cell, kicked(8, 0.5)),
             two = solved_and_propagated(Comm::world(), doubled, kicked(8, 0.5));
  EXPECT_LT(largest_difference(one.currents, two.currents), 1e-4 * norm(one.currents.front()));
  EXPECT_NEAR(2 * one.energies.back(), two.energies.back(), 1e-7);
}

TEST(PropagationExchange, TheWorkOfAPulseByAVectorPotentialIsTheEnergyGained) {
  const Problem problem = with_exact_exchange(chain());
  Propagation options = midpoint_steps(100);
  options.tolerance = 1e-8;
  options.lasers = {{.peak = {0, 0.002, 0.01},
                     .frequency = 0.15,
                     .duration = 8,
                     .centre = 10,
                     .envelope = Envelope::sin2,
                     .gauge = Gauge::velocity}};
  const Seen seen = solved_and_propagated(Comm::world(), problem, options);
  const double work = work_of_field(seen, problem, options.timestep);
  EXPECT_NEAR(seen.energies.back() - seen.energies.front(), work, 1e-5);
  EXPECT_GT(work, 1e-4);
}

TEST(PropagationExchange, HalfTheStepHasAQuarterOfTheError) {
  const Problem problem = with_exact_exchange(in_plane_waves(), "HF");
  const auto dipole = [&](int count) {
    return solved_and_propagated(Comm::world(), problem, kicked(count, 3.0 / count)).dipoles.back();
  };
  const Vec3 exact = dipole(240);
  EXPECT_GT(norm(dipole(15) - exact) / norm(dipole(30) - exact), 0.7 * 4);
}

/// After two of four steps, on one rank and with groups of k-points and of bands.
TEST(PropagationExchange, GoesOnFromAStateOnAnyLayout) {
  const int two = std::min(2, Comm::world().size());
  for (Problem problem : {with_exact_exchange(chain()), with_exact_exchange(metal())}) {
    const test_data::SharedDirectory folder;
    Propagation options = kicked(4);
    options.tolerance = 1e-6;
    const Seen whole = solved_and_propagated(Comm::world(), problem, options);
    options.steps = 2;
    options.checkpoint_file = (folder / "state.h5").string();
    (void)solved_and_propagated(Comm::world(), problem, options);
    options.steps = 4;
    options.restart_file = std::exchange(options.checkpoint_file, "");
    (problem.spins == 2 ? problem.groups.kpoint_groups : problem.groups.band_groups) = two;
    for (const Comm& comm : {Comm::world(), Comm::self()}) {
      if (comm.size() == 1) problem.groups = {};
      const Seen after = solved_and_propagated(comm, problem, options);
      EXPECT_LT(norm(after.currents.back() - whole.currents.back()), 1e-10);
      EXPECT_NEAR(after.energies.back(), whole.energies.back(), 1e-10);
    }
  }
}

TEST(PropagationExchange, EmptyBandsChangeNothingOnAnyRanks) {
  Problem problem = with_exact_exchange(in_plane_waves(), "HF");
  const Seen one = solved_and_propagated(Comm::self(), problem, kicked(3));
  problem.bands += 3;  // which do not move
  const Seen all = solved_and_propagated(Comm::world(), problem, kicked(3));
  EXPECT_LT(norm(all.currents.back() - one.currents.back()), 1e-8);
  EXPECT_NEAR(all.energies.back(), one.energies.back(), 1e-8);
}

TEST(PropagationExchange, RefusesExponentials) {
  const Problem problem = with_exact_exchange(in_plane_waves());
  EXPECT_NE(refusal(problem, steps(1)).find("exponentials with exact exchange"), std::string::npos)
      << refusal(problem, steps(1));
  EXPECT_EQ(refusal(problem, midpoint_steps(1)), "");
}

}  // namespace
}  // namespace wavegrid::test_propagation
