// Atoms that move by the forces of electrons in time, and what is observed of the bands.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <wavegrid/base/error.hpp>
#include <wavegrid/calculation/session.hpp>

#include "checkpoint_case.hpp"
#include "propagation_case.hpp"

namespace wavegrid::test_moving_ions {
namespace {

using namespace test_propagation;

/// H2 with a longer bond than in its ground state, on few points.
Problem stretched(bool mesh) {
  Problem p = hydrogen();
  p.crystal = {Lattice({{{9, 0, 0}, {0, 9, 0}, {0, 0, 10}}}), {"H"}, {{0, {0.5, 0.5, 0.41}}, {0, {0.5, 0.5, 0.59}}}};
  p.ecut = 8;
  p.grid = {24, 24, 28};
  if (mesh) {
    p.grid = {26, 26, 28};
    p.mesh_basis = MeshBasis{.order = 8};
  }
  return p;
}

struct Moved {
  std::vector<double> energies, kinetic;
  std::vector<std::vector<Vec3>> positions, forces;
  std::vector<Vec3> dipoles, fields;

  void operator()(const PropagationStep& step) {
    energies.push_back(step.energy);
    kinetic.push_back(step.ion_kinetic);
    positions.push_back(step.positions);
    forces.push_back(step.forces);
    if (step.dipole) dipoles.push_back(*step.dipole);
    if (step.field) fields.push_back(*step.field);
  }
};

Propagation moving(int count, double timestep, double mass = 200) {
  Propagation options = steps(count, timestep);
  options.tolerance = 1e-8;
  options.forces = true;
  options.moving = MovingAtoms{{mass, mass}, {Vec3{0, 0, 0}, Vec3{0, 0, 0}}};
  return options;
}

Moved moved(Session& session, const Propagation& options) {
  Moved seen;
  (void)session.propagate(options, std::ref(seen));
  return seen;
}

/// Light atoms, which exchange energy with the electrons.
TEST(MovingIons, KeepTheEnergyAndAreUndoneBackwards) {
  for (const auto& [mesh, scheme] :
       {std::pair{false, TimeScheme::etrs}, {true, TimeScheme::etrs}, {false, TimeScheme::crank_nicolson}}) {
    Session session(Comm::world(), stretched(mesh));
    (void)session.solve();
    Propagation options = moving(40, 0.25);
    options.scheme = scheme;
    const Moved seen = moved(session, options);
    EXPECT_GT(seen.kinetic.back(), 8e-4);
    EXPECT_NEAR(seen.energies.back(), seen.energies.front(), mesh ? 5e-5 : 1e-5);
    EXPECT_GT(norm(seen.positions.back()[0] - seen.positions.front()[0]), 0.01);
    if (scheme != TimeScheme::etrs || mesh) continue;
    // Back, with the velocities of the end turned by the step's sign.
    const Vec3 last =
        (1 / (12 * 0.25)) * (25.0 * seen.positions[40][0] - 48.0 * seen.positions[39][0] +
                             36.0 * seen.positions[38][0] - 16.0 * seen.positions[37][0] + 3.0 * seen.positions[36][0]);
    options.timestep = -options.timestep;
    options.moving->velocities = {last, -1.0 * last};
    const Moved back = moved(session, options);
    EXPECT_LT(norm(back.positions.back()[0] - seen.positions.front()[0]), 1e-4);
  }
}

/// Slow atoms stay on the energy of the ground state: their kinetic energy is what this loses.
TEST(MovingIons, SlowOnesFollowTheGroundState) {
  Problem problem = stretched(false);
  Session session(Comm::world(), problem);
  const double start = session.solve().scf.energies.total();
  const Moved seen = moved(session, moving(60, 0.5, 4000));
  const double length = problem.crystal.lattice.vectors()[2][2];
  std::vector<Vec3> places;
  for (const Vec3& r : seen.positions.back()) places.push_back({r[0] / 9, r[1] / 9, r[2] / length});
  session.set_positions(places);
  const double end = session.solve().scf.energies.total();
  EXPECT_NEAR(start - end, seen.kinetic.back(), 2e-5);
  EXPECT_GT(seen.kinetic.back(), 4e-4);
}

/// A pulse does work on electrons and ions.
TEST(MovingIons, TakeTheirPartOfTheWorkOfAPulse) {
  Session session(Comm::world(), stretched(false));
  (void)session.solve();
  Propagation options = moving(40, 0.25);
  options.lasers = {{.peak = {0, 0, 0.02}, .frequency = 0.3, .duration = 4, .centre = 5, .gauge = Gauge::velocity}};
  std::vector<Vec3> currents, fields;
  std::vector<double> energies;
  std::vector<std::vector<Vec3>> positions;
  (void)session.propagate(options, [&](const PropagationStep& step) {
    currents.push_back(*step.current);
    fields.push_back(*step.field);
    energies.push_back(step.energy);
    positions.push_back(step.positions);
  });
  const double volume = session.problem().crystal.lattice.volume();
  double work = 0;
  for (std::size_t i = 0; i < fields.size(); ++i)
    work += (i == 0 || i + 1 == fields.size() ? 0.5 : 1) * 0.25 * volume * dot(fields[i], currents[i]);
  for (std::size_t i = 1; i < fields.size(); ++i)
    for (std::size_t atom = 0; atom < 2; ++atom)
      work += 0.5 * dot(fields[i] + fields[i - 1], positions[i][atom] - positions[i - 1][atom]);
  EXPECT_GT(std::abs(work), 1e-4);
  EXPECT_NEAR(energies.back() - energies.front(), work, 2e-5);
}

TEST(MovingIons, GoOnFromAStateOnAnyLayout) {
  const test_data::SharedDirectory folder;
  Propagation options = moving(6, 0.25);
  options.kick = Kick{{0, 0, 0.02}, Gauge::velocity};
  Session whole(Comm::world(), stretched(false));
  (void)whole.solve();
  const Moved all = moved(whole, options);
  Session first(Comm::world(), stretched(false));
  (void)first.solve();
  options.steps = 3;
  options.checkpoint_file = (folder / "state.h5").string();
  (void)moved(first, options);
  Session second(Comm::self(), stretched(false));
  (void)second.solve();
  options.steps = 6;
  options.restart_file = std::exchange(options.checkpoint_file, "");
  const Moved after = moved(second, options);
  EXPECT_LT(norm(all.positions.back()[0] - after.positions.back()[0]), 1e-10);
  EXPECT_NEAR(all.energies.back(), after.energies.back(), 1e-9);
}

TEST(MovingIons, AreRefusedByName) {
  const auto refusal = [](Problem problem, const Propagation& options) {
    problem.propagation = options;
    try {
      const Session session(Comm::world(), problem);
    } catch (const Error& fault) {
      return std::string(fault.what());
    }
    return std::string();
  };
  Propagation options = moving(1, 0.2);
  options.scheme = TimeScheme::magnus4;
  EXPECT_NE(refusal(stretched(false), options).find("magnus4 with moving atoms"), std::string::npos);
  options.scheme = TimeScheme::etrs;
  EXPECT_NE(refusal(on_mesh(false), options).find("moving atoms in a region of spheres"), std::string::npos);
  options.moving->masses.pop_back();
  EXPECT_NE(refusal(stretched(false), options).find("1 masses and 2 velocities for 2 atoms"), std::string::npos);
}

/// The electrons of all bands of the start, some of them empty, add up to nearly all.
TEST(Observed, OccupationsOfBandsOfTheStart) {
  for (Problem problem : {in_plane_waves(), chain()}) {
    problem.bands = 6;
    Session session(Comm::world(), problem);
    (void)session.solve();
    Propagation options = steps(4);
    options.kick = Kick{{0, 0, 0.05}, Gauge::velocity};
    options.occupations = options.excited = true;
    std::vector<PropagationStep> seen;
    (void)session.propagate(options, [&](const PropagationStep& step) { seen.push_back(step); });
    ASSERT_EQ(seen[4].occupations.size(), static_cast<std::size_t>(6 * problem.spins));
    double lowest = 0;
    for (int spin = 0; spin < problem.spins; ++spin) lowest += seen[4].occupations[static_cast<std::size_t>(6 * spin)];
    const double all = std::accumulate(seen[4].occupations.begin(), seen[4].occupations.end(), 0.0);
    EXPECT_NEAR(all, 2, 0.05);
    EXPECT_GT(all - lowest, 1e-6);
    if (problem.spins == 1) {
      EXPECT_NEAR(*seen[4].excited, 2 - lowest, 1e-9);
    }
  }
}

}  // namespace
}  // namespace wavegrid::test_moving_ions
