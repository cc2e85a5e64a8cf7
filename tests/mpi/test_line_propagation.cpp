// Propagation in time against what is known analytically, in one dimension: a free packet, and electrons in a harmonic
// trap, whose centre of mass oscillates as one electron without the others would (W. Kohn, Phys. Rev. 123, 1242
// (1961), 10.1103/PhysRev.123.1242; J. F. Dobson, Phys. Rev. Lett. 73, 2244 (1994), 10.1103/PhysRevLett.73.2244: also
// in the adiabatic LDA).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <utility>
#include <vector>

#include <wavegrid/eigen/orthonormalise.hpp>
#include <wavegrid/linalg/rotate.hpp>
#include <wavegrid/propagation/band_propagator.hpp>
#include <wavegrid/propagation/implicit_midpoint.hpp>
#include <wavegrid/propagation/kick.hpp>

#include "line_atom.hpp"

namespace wavegrid::test_line_propagation {
namespace {

using Complex = std::complex<double>;
using test_line_atom::Line;
using test_line_atom::LineOperator;

const std::vector<std::pair<StepScheme, double>> schemes{// and a step whose error is below 1e-5
                                                         {enforced_reversal(), 0.02},
                                                         {magnus4(), 0.2},
                                                         {implicit_midpoint(), 0.005}};

/// Electrons, two in each band, in a potential of ions (Ha); interacting or not.
struct Trap {
  Line line{61, 0.5};
  LineOperator<Complex> op{line};
  KohnShamBands<Complex> bands{0, 0, op, Eigensolver::lobpcg};
  ProcessGroups groups{Comm::world(), {}};
  EnergyTerms<Line> terms;
  ScfSystem<Complex, Line> system;
  ScfResult ground{};
  FieldValues density = FieldValues(static_cast<std::size_t>(line.num_points()), 0.0);

  Trap(double stiffness, bool interacting, Index electrons)
      : terms(make_terms(line, stiffness, interacting)),
        system{groups, {&bands},     line, terms, {static_cast<double>(electrons), {SmearingKind::fixed, 0}},
               {1.0},  electrons / 2} {}

  static EnergyTerms<Line> make_terms(Line& line, double stiffness, bool interacting) {
    EnergyTerms<Line>::Terms list;
    if (interacting) {
      list.push_back(std::make_unique<HartreeTerm<Line>>(line));
      list.push_back(std::make_unique<XcTerm<Line>>(line, Xc::parse("LDA_X_1D_SOFT+LDA_C_1D_CSC", 1, 1)));
    }
    FieldValues v;
    for (Index i = line.mine.begin; i < line.mine.end; ++i) v.push_back(0.5 * stiffness * line.x(i) * line.x(i));
    list.push_back(std::make_unique<LinearTerm<Line>>("local", line, std::move(v)));
    return EnergyTerms<Line>(line, std::move(list));
  }

  void solve() {
    const BandStart<Complex> start = [&](KohnShamBands<Complex>& of) {
      EigenState<Complex> state(of.op.rows(), system.bands_per_k);
      of.op.fill_random(1, state.x.view());
      apply_h_and_s<Complex>(of.op, state.view());
      rayleigh_ritz<Complex>(of.op, state);
      return state;
    };
    for (Index i = 0; i < line.num_points(); ++i)
      density[static_cast<std::size_t>(i)] = std::exp(-0.2 * std::pow(line.x(line.mine.begin + i), 2));
    const double norm = line.integrate([&](std::size_t i) { return density[i]; });
    for (double& n : density) n *= system.electrons.count / norm;
    const ScfOptions options{.energy_tolerance = 1e-13, .mixer = {.beta = 0.3}};
    const auto solver = make_electron_solver<Complex, Line>(system, start, options);
    Density<Line> found{{density}, {}};
    ground = solve_scf<Line>(system.functional(), *solver, found, options);
    ASSERT_TRUE(ground.converged);
    density = found.n[0];
  }
  /// One band, a Gaussian of this width with a momentum.
  void set_packet(double width, double momentum) {
    bands.state = EigenState<Complex>(op.rows(), 1);
    for (Index i = 0; i < op.rows(); ++i) {
      const double x = line.x(line.mine.begin + i);
      bands.state.x.view().data[i] = std::pow(2 * std::numbers::pi * width * width, -0.25) *
                                     std::exp(-x * x / (4 * width * width)) * std::polar(1.0, momentum * x);
      density[static_cast<std::size_t>(i)] = 2 * std::norm(bands.state.x.view().data[i]);
    }
    ground.eigenvalues = {0};
    ground.occupations = {2};
  }
  [[nodiscard]] BandPropagator<Line> propagator(const StepScheme& scheme, double tolerance = 1e-9) {
    const Density<Line> fields{{density}, {}};
    const Potential start = terms.potential({fields, density_values(line, fields)});
    return {system, ground, start, tolerance, scheme};
  }
  void kick(BandPropagator<Line>& propagator, double momentum) const {
    FieldValues x;
    for (Index i = line.mine.begin; i < line.mine.end; ++i) x.push_back(momentum * line.x(i));
    propagator.change_bands([&](auto& of, BandView<Complex> psi) { kick_bands(of.op, x, psi); });
  }
  /// The mean of x^power over the electrons.
  [[nodiscard]] double moment(const FieldValues& of, int power) const {
    return line.integrate([&](std::size_t i) {
      return of[i] * std::pow(line.x(line.mine.begin + static_cast<Index>(i)), power);
    }) / system.electrons.count;
  }
};

TEST(LinePropagation, AFreePacketSpreadsAsItMust) {
  for (const auto& [scheme, step] : schemes) {
    Trap free(0, false, 2);
    const double width = 1.5, momentum = 0.8;
    free.set_packet(width, momentum);
    BandPropagator<Line> propagator = free.propagator(scheme);
    const int steps = static_cast<int>(std::lround(4 / step));
    for (int i = 0; i < steps; ++i) propagator.step(step);
    const double time = steps * step, spread = time / (2 * width);
    const FieldValues& n = propagator.density().values.n[0];
    EXPECT_NEAR(free.moment(n, 1), momentum * time, 2e-5);
    EXPECT_NEAR(free.moment(n, 2) - std::pow(free.moment(n, 1), 2), width * width + spread * spread, 2e-5);
    EXPECT_NEAR(free.moment(n, 0), 1, 1e-11);
  }
}

TEST(LinePropagation, ElectronsInAHarmonicTrapOscillateTogether) {
  const double frequency = 0.4, momentum = 0.05;
  for (const auto& [scheme, step] :
       {std::pair{enforced_reversal(), 0.05}, {magnus4(), 0.2}, {implicit_midpoint(), 0.05}}) {
    Trap trap(frequency * frequency, true, 4);
    trap.solve();
    BandPropagator<Line> propagator = trap.propagator(scheme);
    trap.kick(propagator, momentum);
    const int steps = static_cast<int>(std::lround(16 / step)), parts = 8;
    for (int i = 1; i <= steps; ++i) {
      propagator.step(step);
      if (i % (steps / parts) != 0) continue;
      const double expected = momentum / frequency * std::sin(frequency * i * step);
      EXPECT_NEAR(trap.moment(propagator.density().values.n[0], 1), expected, 3e-5);
    }
  }
}

TEST(LinePropagation, TheEnergyStaysOverThousandSteps) {
  for (const StepScheme& scheme : {magnus4(), implicit_midpoint()}) {
    Trap trap(0.16, true, 4);
    trap.solve();
    BandPropagator<Line> propagator = trap.propagator(scheme, 1e-8);
    trap.kick(propagator, 0.05);
    propagator.step(0.05);
    const double energy = propagator.energies().total();
    for (int i = 0; i < 1000; ++i) propagator.step(0.05);
    EXPECT_NEAR(propagator.energies().total(), energy, 1e-6);
  }
}

/// With the same potentials the bands are those of the exponential, turned among themselves; halving the step divides
/// the difference by 8, and no step changes overlaps.
TEST(ImplicitMidpoint, IsTheExponentialToSecondOrder) {
  const Index n = 40, count = 3;
  DenseOperator<Complex> op(rising_matrix<Complex>(n));
  Bands<Complex> start(op.rows(), count);
  op.fill_random(1, start.view(), RandomSpectrum::flat);
  ASSERT_EQ(orthonormalise<Complex>(op.product(), start.view()), count);
  const auto error = [&](double step) {
    Bands<Complex> middle(op.rows(), count), end(op.rows(), count), exact(op.rows(), count);
    std::copy_n(start.view().data, op.rows() * count, middle.view().data);
    std::copy_n(start.view().data, op.rows() * count, exact.view().data);
    const BandView<const Complex> from = std::as_const(start).view();
    const MidpointSolution found = solve_midpoint(op, step, 1e-12, 400, from, middle.view());
    EXPECT_LE(found.residual, 1e-12);
    leave_midpoint(op, from, std::as_const(middle).view(), end.view());
    const Matrix<Complex> overlaps =
        overlap<Complex>(op.product(), std::as_const(end).view(), std::as_const(end).view());
    for (Index i = 0; i < count; ++i)
      for (Index j = 0; j < count; ++j) EXPECT_NEAR(std::abs(overlaps(i, j) - (i == j ? 1.0 : 0.0)), 0, 1e-12);
    rotate_in_place<Complex>(op.product(), end.view(), found.turn);
    ChebyshevExponential({-1, 6}, step, 1e-14).apply(op, exact.view());
    for (Index i = 0; i < op.rows() * count; ++i) end.view().data[i] -= exact.view().data[i];
    const std::vector<double> squares = squared_norms<Complex>(op.product(), std::as_const(end).view());
    return std::sqrt(*std::ranges::max_element(squares));
  };
  const double coarse = error(0.1), fine = error(0.05);
  EXPECT_GT(coarse, 1e-6);
  EXPECT_NEAR(coarse / fine, 8, 1);
}

}  // namespace
}  // namespace wavegrid::test_line_propagation
