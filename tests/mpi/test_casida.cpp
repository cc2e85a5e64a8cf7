// Casida's equation: its kernel, a known solution, both discretisations and layouts, and the peaks of propagation.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <wavegrid/base/error.hpp>
#include <wavegrid/calculation/casida_equation.hpp>
#include <wavegrid/calculation/session.hpp>
#include <wavegrid/fields/xc_kernel.hpp>

#include "propagation_case.hpp"

namespace wavegrid::test_casida {
namespace {

using namespace test_propagation;

/// Exchange of a density without spin: v = -(3 n/pi)^(1/3).
TEST(XcKernel, IsTheDerivativeOfThePotential) {
  const FieldValues n{0.01, 0.3, 2, 0};
  const double pi = std::acos(-1.0);
  const Xc exchange = Xc::parse("LDA_X"), polarised = Xc::parse("LDA_X", 2);
  const SpinFields f = xc_kernel(exchange, {n}, {});
  const FieldValues of_spin = xc_kernel_of_spin(polarised, n, {});
  const SpinFields all = xc_kernel(polarised, {n, FieldValues(4, 0.0)}, {});
  for (std::size_t i = 0; i < 3; ++i) {
    const double expected = -std::cbrt(3 / pi) / 3 * std::pow(n[i], -2.0 / 3);
    EXPECT_NEAR(f[0][i] / expected, 1, 1e-7);
    EXPECT_NEAR(of_spin[i] / expected, 1, 1e-7);  // exchange couples no opposite spins
    EXPECT_NEAR(all[0][i] / (2 * expected), 1, 1e-7);
    EXPECT_NEAR(all[1][i], 0, 1e-7);
  }
  EXPECT_EQ(f[0][3], 0);
}

TEST(Casida, SolvesTwoPairs) {
  const std::vector<BandPair> pairs{{0, 0, 1, 0.3, 2, {0, 0, 1}}, {0, 0, 2, 0.5, 2, {1, 0, 0}}};
  Matrix<double> kernel(2, 2);
  kernel(0, 0) = 0.02;
  kernel(1, 1) = -0.01;
  std::vector<Excitation> found = solve_casida(Comm::world(), pairs, kernel, true);
  EXPECT_NEAR(found[0].energy, std::sqrt(0.3 * (0.3 + 4 * 0.02)), 1e-12);
  EXPECT_NEAR(found[1].energy, std::sqrt(0.5 * (0.5 - 4 * 0.01)), 1e-12);
  EXPECT_NEAR(found[0].strengths[2], 2 * 2 * 0.3, 1e-12);
  kernel(1, 1) = -0.2;
  found = solve_casida(Comm::world(), pairs, kernel, false);
  EXPECT_LT(found[0].energy, 0);
  EXPECT_EQ(found[1].strengths[2], 0);
}

Problem excited(Problem problem, Index bands = 10) {
  problem.mode = Mode::gamma;
  problem.bands = bands;
  problem.casida = Casida{};
  return problem;
}

CasidaResult solved(const Comm& comm, const Problem& problem) { return *Session(comm, problem).solve().casida; }

/// H2 in a basis of few plane waves.
Problem stretched() {
  Problem p = hydrogen();
  p.crystal = {Lattice({{{10, 0, 0}, {0, 10, 0}, {0, 0, 11}}}), {"H"}, {{0, {0.5, 0.5, 0.43}}, {0, {0.5, 0.5, 0.57}}}};
  p.ecut = 0.6;
  p.grid = {10, 10, 12};
  p.bands = 1;
  return p;
}
constexpr Index all_bands = 27;

TEST(Casida, DoesNotDependOnTheSplit) {
  const int two = std::min(2, Comm::world().size());
  std::vector<Problem> problems{excited(in_plane_waves()), excited(on_mesh(false)), excited(in_plane_waves())};
  problems[0].groups.band_groups = two;
  problems[2].groups.kpoint_groups = two;
  problems[2].spins = 2;
  problems[2].initial_magnetic_moments = {0.1, 0.1};
  std::vector<double> first;
  for (Problem problem : problems) {
    const CasidaResult all = solved(Comm::world(), problem);
    problem.groups = {};
    const CasidaResult alone = solved(Comm::self(), problem);
    ASSERT_GE(all.excitations.size(), 6U);
    for (std::size_t n = 0; n < 5; ++n) {
      EXPECT_NEAR(all.excitations[n].energy, alone.excitations[n].energy, 1e-6) << n;
      EXPECT_NEAR(all.excitations[n].strengths[2], alone.excitations[n].strengths[2], 1e-4) << n;
    }
    first.push_back(all.excitations[0].energy);
  }
}

/// The excitations with two spins are singlets and triplets of the closed shell.
TEST(Casida, SpinsOfAClosedShellAreSingletsAndTriplets) {
  std::vector<double> together, apart;
  for (const ExcitationSpin spin : {ExcitationSpin::singlet, ExcitationSpin::triplet}) {
    Problem problem = excited(in_plane_waves(), 6);
    problem.casida->spin = spin;
    for (const Excitation& one : solved(Comm::world(), problem).excitations) together.push_back(one.energy);
  }
  Problem problem = excited(in_plane_waves(), 6);
  problem.spins = 2;
  problem.initial_magnetic_moments = {0, 0};
  problem.total_magnetisation = 0;
  for (const Excitation& one : solved(Comm::world(), problem).excitations) apart.push_back(one.energy);
  std::ranges::sort(together);
  ASSERT_EQ(together.size(), apart.size());
  for (std::size_t n = 0; n < apart.size(); ++n) EXPECT_NEAR(together[n], apart[n], 1e-5) << n;
  EXPECT_GT(together[1] - together[0], 1e-3);
}

/// With all bands of a small basis the dipole after a weak kick is the sum of the excitations.
TEST(Casida, HasThePeaksAndStrengthsOfPropagation) {
  Problem problem = stretched();
  const CasidaResult found = solved(Comm::world(), excited(problem, all_bands));
  constexpr double momentum = 1e-4;
  Session session(Comm::world(), problem);
  (void)session.solve();
  Propagation options = steps(80, 0.25);
  options.tolerance = 1e-11;
  options.scheme = TimeScheme::magnus4;
  options.kick = Kick{{0, 0, momentum}, Gauge::dipole};
  const Seen seen = propagated(session, options);
  double most = 0;
  for (std::size_t i = 0; i < seen.times.size(); ++i) {
    double expected = 0;
    for (const Excitation& one : found.excitations)
      expected -= momentum * one.strengths[2] / one.energy * std::sin(one.energy * seen.times[i]);
    EXPECT_NEAR(seen.dipoles[i][2] - seen.dipoles[0][2], expected, 3e-3 * momentum) << seen.times[i];
    most = std::max(most, std::abs(expected));
  }
  EXPECT_GT(most, 3 * momentum);
}

TEST(Casida, RefusesByName) {
  const auto refusal = [](const Problem& problem) {
    try {
      (void)Session(Comm::world(), problem).solve();
    } catch (const Error& fault) {
      return std::string(fault.what());
    }
    return std::string();
  };
  Problem problem = excited(in_plane_waves());
  problem.xc = "GGA_X_PBE+GGA_C_PBE";
  EXPECT_NE(refusal(problem).find("is no LDA"), std::string::npos);
  problem = excited(in_plane_waves());
  problem.mode = Mode::complex;
  EXPECT_NE(refusal(problem).find("Gamma alone, with real bands"), std::string::npos);
  problem = excited(in_plane_waves());
  problem.smearing = {SmearingKind::fermi_dirac, 0.01};
  EXPECT_NE(refusal(problem).find("fixed occupations"), std::string::npos);
  EXPECT_NE(refusal(excited(chain())).find("Casida's equation"), std::string::npos);
  problem = excited(in_plane_waves(), 1);
  EXPECT_NE(refusal(problem).find("without empty bands"), std::string::npos);
}

}  // namespace
}  // namespace wavegrid::test_casida
