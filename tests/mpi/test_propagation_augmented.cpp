// Propagation in time with ultrasoft potentials and PAW datasets: S stays while the atoms stand.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <wavegrid/base/error.hpp>
#include <wavegrid/calculation/session.hpp>
#include <wavegrid/pseudo/pseudopotential_file.hpp>

#include "checkpoint_case.hpp"
#include "propagation_case.hpp"

namespace wavegrid::test_propagation_augmented {
namespace {

using namespace test_propagation;

/// An ion with two electrons and a potential of tests/reference/ultrasoft, in vacuum; the files are not physical.
Problem ion(const std::string& file) {
  Problem p = in_plane_waves();
  p.crystal = {Lattice({{{10, 0, 0}, {0, 10, 0}, {0, 0, 11}}}), {"Si"}, {{0, {0.5, 0.48, 0.45}}}};
  p.pseudopotentials = {
      read_pseudopotential(std::string(WAVEGRID_SOURCE_DIR) + "/tests/reference/ultrasoft/" + file, "Si")};
  p.charge = 2;
  p.xc = "PBE";
  p.ecut = 4;
  p.grid = {20, 20, 24};
  p.bands = 1;
  return p;
}

/// `energy`: the largest change of the energy, Ha. That of etrs is of second order in the step: 5e-7 in half of it.
void expect_that_augmented_bands_are_kept(const Problem& problem, TimeScheme scheme, double energy) {
  Session session(Comm::world(), problem);
  ASSERT_TRUE(session.solve().scf.converged);
  Propagation kicked = steps(0), forward_steps = steps(10), back_steps = steps(10, -0.2);
  forward_steps.scheme = back_steps.scheme = kicked.scheme = scheme;
  kicked.kick = Kick{{0.01, 0, 0.03}, Gauge::dipole};
  const PropagationResult start_result = session.propagate(kicked);
  EXPECT_LT(start_result.electrons, 1e-7);  // of the kick, which keeps <psi|S|psi>; and what the grid leaves out of n^
  const std::vector<SolvedBands> start = session.bands();
  const PropagationResult forward = session.propagate(forward_steps);
  EXPECT_NEAR(forward.last_energy, forward.first_energy, energy);
  EXPECT_NEAR(forward.electrons, start_result.electrons, 1e-10);
  EXPECT_LE(forward.phase_error, 1e-10);
  EXPECT_GT(Comm::world().max(largest_difference(start, session.bands())), 1e-3);
  (void)session.propagate(back_steps);
  EXPECT_LT(Comm::world().max(largest_difference(start, session.bands())), 1e-8);
}

TEST(PropagationAugmented, ConservesTheEnergyAndIsUndoneBackwards) {
  expect_that_augmented_bands_are_kept(ion("Si.UPF"), TimeScheme::etrs, 1e-6);
  expect_that_augmented_bands_are_kept(ion("Si-paw.xml"), TimeScheme::etrs, 4e-6);
  expect_that_augmented_bands_are_kept(ion("Si-paw.UPF"), TimeScheme::crank_nicolson, 2e-7);
}

/// By the charge that augments the bands, too: its part is in the couplings.
TEST(PropagationAugmented, TheWorkOfAPulseIsTheEnergyGained) {
  for (const auto& [file, scheme] :
       {std::pair{"Si.UPF", TimeScheme::crank_nicolson}, {"Si-paw.xml", TimeScheme::etrs}}) {
    Session session(Comm::world(), ion(file));
    (void)session.solve();
    Propagation options = steps(60);
    options.tolerance = 1e-8;
    options.scheme = scheme;
    options.lasers = {{.peak = {0, 0, 0.02}, .frequency = 0.2, .duration = 4, .centre = 6, .envelope = Envelope::sin2}};
    const Seen seen = propagated(session, options);
    double work = 0, most = 0;
    for (std::size_t i = 1; i < seen.fields.size(); ++i) {
      work += 0.5 * dot(seen.fields[i] + seen.fields[i - 1], seen.dipoles[i] - seen.dipoles[i - 1]);
      most = std::max(most, work);
      EXPECT_NEAR(seen.energies[i] - seen.energies[0], work, 1e-5);
    }
    EXPECT_GT(most, 1e-4);
  }
}

/// The pulse of the kick leaves bands of another S, whose density follows as after a kick by a potential, but for the
/// few electrons at the boundary of the small cell, where that jumps, and the low cutoff.
TEST(PropagationAugmented, GaugesGiveTheSameDipole) {
  for (const char* const file : {"Si.UPF", "Si-paw.xml"}) {
    std::vector<Seen> seen;
    for (const Gauge gauge : {Gauge::dipole, Gauge::velocity}) {
      Session session(Comm::world(), ion(file));
      (void)session.solve();
      Propagation options = steps(10);
      options.kick = Kick{{0, 0.005, 0.01}, gauge};
      seen.push_back(propagated(session, options));
      EXPECT_NEAR(seen.back().energies.back(), seen.back().energies.front(), 1e-6);
    }
    EXPECT_LT(largest_difference(seen[0].dipoles, seen[1].dipoles), 4e-3);
    EXPECT_GT(norm(seen[0].dipoles.back() - seen[0].dipoles.front()), 0.005);
  }
}

/// As far as no electrons cross the boundary of the cell.
TEST(PropagationAugmented, TheDipoleChangesByTheCurrent) {
  for (const char* const file : {"Si.UPF", "Si-paw.xml"}) {
    Session session(Comm::world(), ion(file));
    (void)session.solve();
    Propagation options = steps(6, 0.05);
    options.kick = Kick{{0, 0.005, 0.01}, Gauge::velocity};
    const Seen seen = propagated(session, options);
    const double volume = ion(file).crystal.lattice.volume();
    for (std::size_t i = 2; i + 2 < seen.dipoles.size(); ++i) {
      const Vec3 slope =
          1 / (12 * 0.05) *
          (8.0 * (seen.dipoles[i + 1] - seen.dipoles[i - 1]) - (seen.dipoles[i + 2] - seen.dipoles[i - 2]));
      EXPECT_LT(norm(slope - volume * seen.currents[i]), 7e-4) << i;
    }
  }
}

TEST(PropagationAugmented, TheWorkOfAPulseByAVectorPotentialIsTheEnergyGained) {
  for (const char* const file : {"Si.UPF", "Si-paw.xml"}) {
    Session session(Comm::world(), ion(file));
    (void)session.solve();
    Propagation options = steps(60);
    options.tolerance = 1e-8;
    options.lasers = {{.peak = {0, 0, 0.02},
                       .frequency = 0.2,
                       .duration = 4,
                       .centre = 6,
                       .envelope = Envelope::sin2,
                       .gauge = Gauge::velocity}};
    const Seen seen = propagated(session, options);
    const double work = work_of_field(seen, ion(file), options.timestep);
    EXPECT_NEAR(seen.energies.back() - seen.energies.front(), work, 1e-5);
    EXPECT_GT(work, 1e-4);
  }
}

TEST(PropagationAugmented, GoesOnFromAStateOnAnyLayout) {
  const Problem problem = ion("Si-paw.xml");
  const test_data::SharedDirectory folder;
  Propagation options = steps(8);
  options.tolerance = 1e-6;
  options.kick = Kick{{0, 0.005, 0.01}, Gauge::dipole};
  Session whole(Comm::world(), problem);
  (void)whole.solve();
  const Seen all = propagated(whole, options);
  Session first(Comm::world(), problem);
  (void)first.solve();
  options.steps = 4;
  options.checkpoint_file = (folder / "state.h5").string();
  Seen joined = propagated(first, options);
  Session second(Comm::self(), problem);
  (void)second.solve();
  options.steps = 8;
  options.restart_file = std::exchange(options.checkpoint_file, "");
  const Seen after = propagated(second, options);
  joined.dipoles.insert(joined.dipoles.end(), after.dipoles.begin(), after.dipoles.end());
  EXPECT_LT(largest_difference(all.dipoles, joined.dipoles), 1e-10);
  EXPECT_NEAR(all.energies.back(), after.energies.back(), 1e-10);
}

TEST(PropagationAugmented, WhatChangesTheOverlapIsRefused) {
  const auto expect_refusal = [](const Propagation& options, const std::string& text) {
    Problem problem = ion("Si.UPF");
    problem.propagation = options;
    try {
      Session session(Comm::world(), problem);
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
    }
  };
  Propagation options = steps(1);
  options.kick = Kick{{0, 0, 0.01}, Gauge::velocity};
  options.excited = true;
  expect_refusal(options, "is ultrasoft, with excited or occupations and a vector potential");
  options.excited = false;
  options.kick.reset();
  options.magnetic_moment = true;
  expect_refusal(options, "is ultrasoft, with magnetic_moment = true; valid: false");
  options.magnetic_moment = false;
  options.forces = true;
  expect_refusal(options, "is ultrasoft, with forces = true; valid: false");
  options.forces = false;
  options.moving = MovingAtoms{{1000}, {{0, 0, 0}}};
  expect_refusal(options, "is ultrasoft, with moving atoms; valid: a norm-conserving one");
}

}  // namespace
}  // namespace wavegrid::test_propagation_augmented
