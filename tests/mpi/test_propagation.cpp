// Propagation in time: what it conserves, that it can be undone, and that gauges and layouts agree.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <wavegrid/base/error.hpp>
#include <wavegrid/calculation/session.hpp>
#include <wavegrid/propagation/chebyshev_exponential.hpp>
#include <wavegrid/propagation/step_scheme.hpp>

#include "checkpoint_case.hpp"
#include "dense_operator.hpp"
#include "propagation_case.hpp"

namespace wavegrid::test_propagation {
namespace {

std::vector<Problem> all_problems() {
  return {in_plane_waves(),       on_mesh(true), on_mesh(false), chain(), metal(), with_meta_gga(on_mesh(false)),
          with_meta_gga(metal()), noncollinear()};
}

TEST(Exponential, IsThatOfADenseMatrix) {
  const Index n = 23;
  DenseOperator<Complex> op(rising_matrix<Complex>(n));
  Bands<Complex> x(op.rows(), 3), y(op.rows(), 3);
  op.fill_random(1, x.view(), RandomSpectrum::flat);
  std::copy_n(x.view().data, 3 * op.rows(), y.view().data);
  const ChebyshevExponential all({-1, 4}, 5.0, 1e-14), half({-1, 4}, 2.5, 1e-14), back({-1, 4}, -5.0, 1e-14);
  EXPECT_GT(all.degree(), half.degree());
  all.apply(op, x.view());
  half.apply(op, y.view());
  half.apply(op, y.view());
  for (Index i = 0; i < 3 * op.rows(); ++i) EXPECT_NEAR(std::abs(x.view().data[i] - y.view().data[i]), 0, 1e-12);
  back.apply(op, y.view());
  Bands<Complex> start(op.rows(), 3);
  op.fill_random(1, start.view(), RandomSpectrum::flat);
  for (Index i = 0; i < 3 * op.rows(); ++i) EXPECT_NEAR(std::abs(start.view().data[i] - y.view().data[i]), 0, 1e-12);
}

TEST(StepScheme, SumsAreThoseOfPolynomials) {
  for (const StepScheme& scheme : {enforced_reversal(), magnus4()})
    for (const HalfStep& half : {scheme.first, scheme.second}) {
      double weights = 0, mean = 0, mean_of_fields = 0;
      for (std::size_t i = 0; i < half.potentials.size(); ++i) {
        weights += half.potentials[i];
        mean += half.potentials[i] * std::pow(1.0 - static_cast<double>(i), 3);
      }
      for (const auto& [time, weight] : half.fields) mean_of_fields += weight * std::pow(time, 3);
      EXPECT_NEAR(weights, 1, 1e-14);
      EXPECT_NEAR(mean, mean_of_fields, 1e-14);
    }
}

TEST(Exponential, TurnsAnEigenvectorByItsPhase) {
  Matrix<Complex> diagonal(5, 5);
  for (Index i = 0; i < 5; ++i) diagonal(i, i) = static_cast<double>(i) - 2.0;
  DenseOperator<Complex> op(diagonal);
  Bands<Complex> x(op.rows(), 1);
  std::fill_n(x.view().data, op.rows(), Complex(1));
  ChebyshevExponential({-2.5, 2.5}, 3.0, 1e-15).apply(op, x.view());
  const Range mine = block_of_rows(5);
  for (Index i = 0; i < op.rows(); ++i)
    EXPECT_NEAR(std::abs(x.view().data[i] - std::polar(1.0, -3.0 * (static_cast<double>(mine.begin + i) - 2.0))), 0,
                1e-14);
}

TEST(Propagation, ConservesTheEnergyAndIsUndoneBackwards) {
  for (const Problem& problem : all_problems()) expect_that_it_is_undone(problem, TimeScheme::etrs);
}

TEST(Propagation, ParallelTransportConservesTheEnergyAndIsUndoneBackwards) {
  for (const Problem& problem :
       {in_plane_waves(), on_mesh(false), chain(), metal(), with_meta_gga(metal()), noncollinear()})
    expect_that_it_is_undone(problem, TimeScheme::crank_nicolson);
}

/// A step of 36 as, for which the potential of its end does not converge without mixing.
TEST(Propagation, ParallelTransportTakesLongSteps) {
  Problem problem = hydrogen();
  problem.ecut = 3;
  problem.grid = {24, 24, 25};
  Session session(Comm::world(), problem);
  (void)session.solve();
  Propagation options = steps(12, 1.5);
  options.tolerance = 1e-8;
  options.scheme = TimeScheme::crank_nicolson;
  options.lasers = {{.peak = {0, 0, 0.01}, .frequency = 0.1, .duration = 6, .centre = 8, .gauge = Gauge::velocity}};
  const PropagationResult result = session.propagate(options);
  EXPECT_LE(result.phase_error, 1e-8);
  EXPECT_LT(result.applications, 40);
  EXPECT_NEAR(result.electrons, 0, 1e-10);
}

/// Halving the step divides the error by 4 and by 16.
TEST(Propagation, SchemesHaveTheirOrder) {
  const auto dipole = [](TimeScheme scheme, int count) {
    Session session(Comm::world(), in_plane_waves());
    (void)session.solve();
    Propagation options = steps(count, 6.0 / count);
    options.tolerance = 1e-12;
    options.scheme = scheme;
    options.kick = Kick{{0, 0, 0.02}, Gauge::velocity};
    return propagated(session, options).dipoles.back();
  };
  const Vec3 exact = dipole(TimeScheme::magnus4, 240);
  double last = 0;
  for (const auto& [scheme, ratio] :
       {std::pair{TimeScheme::etrs, 4.0}, {TimeScheme::magnus4, 16.0}, {TimeScheme::crank_nicolson, 4.0}}) {
    const double coarse = norm(dipole(scheme, 30) - exact), fine = norm(dipole(scheme, 60) - exact);
    EXPECT_GT(coarse / fine, 0.7 * ratio);
    if (scheme == TimeScheme::magnus4) {
      EXPECT_LT(fine, 0.1 * last);
    }
    last = fine;
  }
}

TEST(Propagation, TheGroundStateStays) {
  Session session(Comm::world(), in_plane_waves());
  (void)session.solve();
  const Seen seen = propagated(session, steps(10));
  for (const Vec3& dipole : seen.dipoles) EXPECT_LT(norm(dipole - seen.dipoles.front()), 1e-6);
  for (const double energy : seen.energies) EXPECT_NEAR(energy, seen.energies.front(), 1e-9);
}

TEST(Propagation, GaugesGiveTheSameDipole) {
  for (const Problem& problem : {hydrogen(), on_mesh(false)}) {
    std::vector<Seen> seen;
    for (const Gauge gauge : {Gauge::dipole, Gauge::velocity}) {
      Session session(Comm::world(), problem);
      (void)session.solve();
      Propagation options = steps(10);
      options.kick = Kick{{0, 0.005, 0.01}, gauge};
      seen.push_back(propagated(session, options));
    }
    EXPECT_LT(largest_difference(seen[0].dipoles, seen[1].dipoles), problem.mesh_basis ? 1e-6 : 1e-3);
    EXPECT_GT(norm(seen[0].dipoles.back() - seen[0].dipoles.front()), 0.02);
  }
}

TEST(Propagation, TheDipoleChangesByTheCurrent) {
  Problem meta = hydrogen();
  meta.xc = with_meta_gga(meta).xc;
  meta.scf.energy_tolerance = 1e-8;
  for (const Problem& problem : {hydrogen(), on_mesh(false), meta}) {
    Session session(Comm::world(), problem);
    (void)session.solve();
    Propagation options = steps(6, 0.05);
    options.kick = Kick{{0, 0.005, 0.01}, Gauge::velocity};
    if (problem.xc != in_plane_waves().xc) options.tolerance = 1e-9;
    const Seen seen = propagated(session, options);
    ASSERT_EQ(seen.currents.size(), 7U);
    const double volume = problem.crystal.lattice.volume();
    for (std::size_t i = 2; i + 2 < seen.dipoles.size(); ++i) {
      const Vec3 slope =
          1 / (12 * 0.05) *
          (8.0 * (seen.dipoles[i + 1] - seen.dipoles[i - 1]) - (seen.dipoles[i + 2] - seen.dipoles[i - 2]));
      EXPECT_LT(norm(slope - volume * seen.currents[i]), problem.mesh_basis ? 1e-5 : 1e-4) << i;
    }
    EXPECT_NEAR(volume * seen.currents.front()[2], -0.02, 2e-3);  // of two electrons with this momentum
  }
}

TEST(Propagation, TheCurrentIsTheDerivativeOfTheEnergy) {
  for (const Problem& problem : {in_plane_waves(), on_mesh(true), chain(), noncollinear()}) {
    const auto kicked = [&](double momentum) {
      Session session(Comm::world(), problem);
      (void)session.solve();
      Propagation options = steps(0);
      options.kick = Kick{{0.02, 0.01, momentum}, Gauge::velocity};
      return propagated(session, options);
    };
    constexpr double step = 0.002;
    const double slope = (kicked(0.03 + step).energies.front() - kicked(0.03 - step).energies.front()) / (2 * step);
    EXPECT_NEAR(slope, -problem.crystal.lattice.volume() * kicked(0.03).currents.front()[2], 1e-6);
  }
}

TEST(Propagation, TheWorkOfAPulseIsTheEnergyGained) {
  for (const Envelope envelope : {Envelope::gaussian, Envelope::sin2}) {
    Session session(Comm::world(), on_mesh(false));
    (void)session.solve();
    Propagation options = steps(100, 0.4);
    options.tolerance = 1e-8;
    options.lasers = {{.peak = {0, 0, 0.01}, .frequency = 0.09, .duration = 15, .centre = 20, .envelope = envelope}};
    const Seen seen = propagated(session, options);
    double work = 0;
    for (std::size_t i = 1; i < seen.fields.size(); ++i)
      work += 0.5 * dot(seen.fields[i] + seen.fields[i - 1], seen.dipoles[i] - seen.dipoles[i - 1]);
    EXPECT_NEAR(seen.energies.back() - seen.energies.front(), work, 1e-5);
    EXPECT_GT(work, 1e-3);
    EXPECT_NEAR(seen.fields[50][2], 0.01, 1e-12);
    EXPECT_LT(norm(seen.fields.back()), 1e-3);
  }
}

TEST(Propagation, TheWorkOfAPulseByAVectorPotentialIsTheEnergyGained) {
  for (const auto& [problem, scheme] : {std::pair{chain(), TimeScheme::etrs},
                                        {on_mesh(true), TimeScheme::etrs},
                                        {with_meta_gga(metal()), TimeScheme::etrs},
                                        {noncollinear(), TimeScheme::etrs},
                                        {chain(), TimeScheme::crank_nicolson}}) {
    Session session(Comm::world(), problem);
    (void)session.solve();
    Propagation options = steps(100, 0.2);
    options.tolerance = 1e-8;
    options.scheme = scheme;
    options.lasers = {{.peak = {0, 0.002, 0.01},
                       .frequency = 0.15,
                       .duration = 8,
                       .centre = 10,
                       .envelope = Envelope::sin2,
                       .gauge = Gauge::velocity}};
    const Seen seen = propagated(session, options);
    const double work = work_of_field(seen, problem, options.timestep);
    EXPECT_NEAR(seen.energies.back() - seen.energies.front(), work, 1e-5);
    EXPECT_GT(work, 1e-4);
  }
}

TEST(Propagation, GaugesOfAPulseGiveTheSameDipole) {
  std::vector<Seen> seen;
  for (const Gauge gauge : {Gauge::dipole, Gauge::velocity}) {
    Session session(Comm::world(), on_mesh(false));
    (void)session.solve();
    Propagation options = steps(40, 0.2);
    options.lasers = {{.peak = {0, 0, 0.01}, .frequency = 0.1, .duration = 5, .centre = 4, .gauge = gauge}};
    seen.push_back(propagated(session, options));
  }
  EXPECT_LT(largest_difference(seen[0].dipoles, seen[1].dipoles), 1e-3);
  EXPECT_GT(norm(seen[0].dipoles.back() - seen[0].dipoles.front()), 0.1);
}

/// After five of ten steps, with another number of ranks or in other groups.
TEST(Propagation, GoesOnFromAStateOnAnyLayout) {
  const int two = std::min(2, Comm::world().size());
  const std::vector<Problem> problems = {in_plane_waves(), on_mesh(false),         chain(),
                                         metal(),          with_meta_gga(chain()), noncollinear()};
  for (std::size_t i = 0; i < problems.size(); ++i) {
    Problem problem = problems[i];
    const test_data::SharedDirectory folder;
    Propagation options = steps(10);
    options.tolerance = 1e-6;
    options.kick = Kick{{0, 0.005, 0.01}, smooth_gauge(problem)};
    if (i == 3) options.scheme = TimeScheme::crank_nicolson;
    if (i == 2) options.lasers = {{.peak = {0, 0, 0.01}, .duration = 1, .centre = 1, .gauge = Gauge::velocity}};
    Session whole(Comm::world(), problem);
    (void)whole.solve();
    const Seen all = propagated(whole, options);

    Session first(Comm::world(), problem);
    (void)first.solve();
    options.steps = 5;
    options.checkpoint_file = (folder / "state.h5").string();
    const Seen before = propagated(first, options);
    (i >= 2 ? problem.groups.kpoint_groups : problem.groups.band_groups) = two;
    for (const Comm& comm : {Comm::world(), Comm::self()}) {
      if (comm.size() == 1) problem.groups = {};
      Session second(comm, problem);
      (void)second.solve();
      Propagation onward = options;
      onward.steps = 10;
      onward.restart_file = std::exchange(onward.checkpoint_file, "");
      const Seen after = propagated(second, onward);
      ASSERT_EQ(after.times.size(), 5U);
      EXPECT_DOUBLE_EQ(after.times.front(), 1.2);
      Seen joined = before;
      joined.dipoles.insert(joined.dipoles.end(), after.dipoles.begin(), after.dipoles.end());
      joined.currents.insert(joined.currents.end(), after.currents.begin(), after.currents.end());
      EXPECT_LT(largest_difference(all.dipoles, joined.dipoles), 1e-10);
      EXPECT_LT(largest_difference(all.currents, joined.currents), 1e-10);
      EXPECT_NEAR(all.energies.back(), after.energies.back(), 1e-10);
      onward.timestep = 0.1;
      EXPECT_THROW((void)second.propagate(onward), Error);
    }
  }
}

TEST(Propagation, ForcesAndExcitedElectronsAreObserved) {
  Problem problem = on_mesh(false);
  problem.derivatives.forces = true;
  Session session(Comm::world(), problem);
  const CalculationResult ground = session.solve();
  Propagation options = steps(4);
  options.kick = Kick{{0, 0, 0.05}, Gauge::dipole};
  options.forces = options.excited = true;
  std::vector<PropagationStep> seen;
  (void)session.propagate(options, [&](const PropagationStep& step) { seen.push_back(step); });
  ASSERT_EQ(seen.size(), 5U);
  for (std::size_t atom = 0; atom < 2; ++atom)
    EXPECT_LT(norm(seen[0].forces[atom] - ground.derivatives.forces->total[atom]), 1e-5);
  EXPECT_GT(norm(seen[4].forces[0] - seen[0].forces[0]), 1e-5);
  EXPECT_GT(*seen[0].excited, 1e-3);
  EXPECT_LT(*seen[0].excited, 0.1);
  Session again(Comm::world(), in_plane_waves());
  (void)again.solve();
  options.kick.reset();
  options.lasers = {{.peak = {0, 0, 0.01}, .frequency = 3, .duration = 1, .centre = 0, .gauge = Gauge::velocity}};
  seen.clear();
  (void)again.propagate(options, [&](const PropagationStep& step) { seen.push_back(step); });
  EXPECT_NEAR(*seen[0].excited, 0, 1e-10);
  EXPECT_GT(*seen[4].excited, 1e-9);
}

TEST(Propagation, ADamagedStateIsRefusedAndOneThatCannotBeWrittenReported) {
  const test_data::SharedDirectory folder;
  Session session(Comm::world(), in_plane_waves());
  (void)session.solve();
  Propagation options = steps(2);
  options.checkpoint_file = (folder / "none/state.h5").string();
  const PropagationResult result = session.propagate(options);
  EXPECT_EQ(result.steps, 2);
  ASSERT_TRUE(result.checkpoint);
  EXPECT_FALSE(result.checkpoint->error.empty());
  options.checkpoint_file = (folder / "state.h5").string();
  EXPECT_TRUE(session.propagate(options).checkpoint->error.empty());
  const auto size = std::filesystem::file_size(folder / "state.h5");
  if (Comm::world().rank() == 0) {
    std::fstream file(folder / "state.h5", std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(size - 100));  // in the last array
    file.put('x');
  }
  Comm::world().barrier();
  options.restart_file = std::exchange(options.checkpoint_file, "");
  EXPECT_THROW((void)session.propagate(options), Error);
}

TEST(Propagation, DensitiesAreGathered) {
  Session session(Comm::world(), on_mesh(true));
  (void)session.solve();
  Propagation options = steps(4);
  options.every = 2;
  options.density_every = 4;
  std::vector<GatheredFields> seen;
  (void)session.propagate(options, [&](const PropagationStep& step) { seen.push_back(step.density); });
  ASSERT_EQ(seen.size(), 3U);
  EXPECT_TRUE(seen[1].values.empty());
  if (Comm::world().rank() > 0) return;
  double electrons = 0;
  for (const double n : seen[2].values.at(0)) electrons += n;
  EXPECT_NEAR(electrons * session.problem().crystal.lattice.volume() / (16 * 16 * 20), 2, 1e-9);
}

TEST(Propagation, AnAbsorberTakesElectronsThatLeave) {
  Session session(Comm::world(), on_mesh(false));
  (void)session.solve();
  Propagation options = steps(60, 0.3);
  options.every = 10;
  options.tolerance = 1e-6;
  options.kick = Kick{{0, 0, 0.7}, Gauge::dipole};
  options.absorber = Absorber{.width = 3, .strength = 0.5};
  std::vector<double> electrons;
  const PropagationResult result =
      session.propagate(options, [&](const PropagationStep& step) { electrons.push_back(step.electrons); });
  for (std::size_t i = 1; i < electrons.size(); ++i) EXPECT_LT(electrons[i], electrons[i - 1]);
  EXPECT_LT(electrons.back(), 1.2);
  EXPECT_NEAR(result.electrons, 2 - electrons.back(), 1e-9);
}

TEST(Laser, GivesAVectorPotential) {
  const Laser laser{.peak = {0, 0, 2}, .frequency = 0.7, .phase = 0.3, .duration = 6, .centre = 10};
  const Vec3 whole = laser.vector_potential_change(0, 20);
  const Vec3 parts = laser.vector_potential_change(0, 3) + laser.vector_potential_change(3, 20);
  EXPECT_LT(norm(whole - parts), 1e-13);
  double sum = 0;
  for (int i = 0; i < 20000; ++i) sum -= 1e-3 * laser.field(1e-3 * (i + 0.5))[2];
  EXPECT_NEAR(whole[2], sum, 1e-6);
  for (int i = 0; i <= 40; ++i)
    EXPECT_LT(norm(laser.vector_potential_change(0, 0.5 * i)), laser.most_vector_potential());
}

TEST(Laser, HasHalfItsIntensityAtHalfItsDuration) {
  for (const Envelope envelope : {Envelope::gaussian, Envelope::sin2}) {
    const Laser laser{.peak = {1, 0, 0}, .duration = 6, .centre = 10, .envelope = envelope};
    EXPECT_NEAR(laser.field(10)[0], 1, 1e-15);
    EXPECT_NEAR(std::pow(laser.field(13)[0], 2), 0.5, 1e-12);
    EXPECT_NEAR(laser.field(7)[0], laser.field(13)[0], 1e-12);
  }
}

TEST(Propagation, DoesNotDependOnTheSplit) {
  const int two = std::min(2, Comm::world().size());
  std::vector<Problem> problems = {in_plane_waves(), on_mesh(false), chain(), in_plane_waves(), on_mesh(true)};
  problems[2].groups.kpoint_groups = two;
  for (const std::size_t i : {3, 4}) problems[i].groups.band_groups = two;
  problems[4].xc = "GGA_X_PBE+GGA_C_PBE";
  for (Problem problem : problems) {
    problem.scf.energy_tolerance = 1e-13;  // the dipole of the start is of first order in its error
    Propagation options = steps(5);
    options.kick = Kick{{0, 0.005, 0.01}, smooth_gauge(problem)};
    if (problem.groups.band_groups) options.scheme = TimeScheme::crank_nicolson;
    Session all(Comm::world(), problem);
    (void)all.solve();
    const Seen seen = propagated(all, options);
    problem.groups = {};
    Session one(Comm::self(), problem);
    (void)one.solve();
    const Seen alone = propagated(one, options);
    EXPECT_LT(largest_difference(seen.dipoles, alone.dipoles), 1e-9);
    EXPECT_LT(largest_difference(seen.currents, alone.currents), 1e-10);
    for (std::size_t i = 0; i < seen.energies.size(); ++i) EXPECT_NEAR(seen.energies[i], alone.energies[i], 1e-9);
  }
}

TEST(Propagation, RefusesByName) {
  const auto refused = [](const Problem& problem, const Propagation& options, const std::string& words) {
    EXPECT_NE(refusal(problem, options).find(words), std::string::npos) << refusal(problem, options);
  };
  Propagation kicked = steps(1);
  kicked.kick = Kick{{0, 0, 0.01}, Gauge::dipole};
  refused(chain(), kicked, "a kick in the dipole gauge along lattice vector 3, where the crystal is periodic");
  Problem problem = in_plane_waves();
  problem.mode = Mode::gamma;
  refused(problem, steps(1), "the bands are real");
  problem = in_plane_waves();
  problem.precision = Precision::mixed;
  refused(problem, steps(1), "mixed precision");
  Propagation turning = steps(1);
  turning.magnetic_moment = true;
  refused(chain(), turning, "magnetic_moment = true of a crystal that does not end along all lattice vectors");
  Propagation absorbing = steps(1);
  absorbing.absorber = Absorber{.width = 8};
  refused(in_plane_waves(), absorbing, "an absorber without a boundary");
  refused(on_mesh(false), absorbing, "an absorber of 8 bohr in spheres with a radius of 7 bohr");
  Propagation driven = steps(1);
  driven.lasers = {{.peak = {0, 0, 0.01}, .duration = 10}};
  refused(chain(), driven, "a laser in the dipole gauge along lattice vector 3");
  driven.lasers[0].gauge = Gauge::velocity;
  driven.scheme = TimeScheme::magnus4;
  refused(chain(), driven, "magnus4 with a laser in the velocity gauge");
  EXPECT_EQ(refusal(in_plane_waves(), kicked), "");
}

TEST(Propagation, AStepThatIsTooLongIsRefusedWithOneThatWouldDo) {
  Problem problem = hydrogen();
  problem.ecut = 2;
  problem.grid = {18, 18, 20};
  Session session(Comm::world(), problem);
  (void)session.solve();
  Propagation options = steps(20, 8.0);
  options.kick = Kick{{0, 0, 0.05}, Gauge::velocity};
  try {
    (void)session.propagate(options);
    FAIL();
  } catch (const Error& fault) {
    EXPECT_NE(std::string(fault.what()).find("is too long"), std::string::npos) << fault.what();
    EXPECT_NE(std::string(fault.what()).find("valid: about"), std::string::npos);
  }
}

}  // namespace
}  // namespace wavegrid::test_propagation
