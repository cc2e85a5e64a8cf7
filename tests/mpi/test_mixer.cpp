// Mixing of densities: a linear model of self-consistency on the FFT grid.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <vector>

#include <wavegrid/base/random.hpp>
#include <wavegrid/scf/density_error.hpp>
#include <wavegrid/scf/mixer.hpp>

#include "change_energy.hpp"
#include "grid_setup.hpp"

namespace wavegrid::test_mixer {
namespace {

using Complex = std::complex<double>;
const Lattice cube({{{20, 0, 0}, {0, 20, 0}, {0, 0, 20}}});

/// A linear model of self-consistency: out = fixed point + response of (in - fixed point), which diverges at small G
/// without a preconditioner (charge sloshing).
struct Model {
  GridFields& fields;
  const PlaneWaves& waves = fields.grid().waves();
  const Comm comm = Comm::world();
  double coupling = 0;  // 0: the response is diagonal in G

  GridFft::Coefficients fixed_point() const {
    GridFft::Coefficients rho;
    for (const Int3& g : waves.g()) rho.emplace_back(random_at({g[0], g[1], g[2]}), random_at({g[0], g[1], g[2], 1}));
    return rho;
  }
  GridFft::Coefficients output(const GridFft::Coefficients& input) const {
    GridFft::Coefficients out = fixed_point();
    Complex mean = 0;
    for (std::size_t i = 0; i < out.size(); ++i)
      if (static_cast<Index>(i) != waves.zero()) mean += (input[i] - out[i]) / (1.0 + waves.kinetic()[i]);
    mean = comm.sum(mean);
    for (std::size_t i = 0; i < out.size(); ++i) {
      const double g2 = 2 * waves.kinetic()[i];
      if (g2 > 0) out[i] += -5.0 / g2 * (input[i] - out[i]) + coupling * mean / (1.0 + g2);
    }
    return out;
  }
  double error(const GridFft::Coefficients& rho) const {
    const GridFft::Coefficients exact = fixed_point();
    double sum = 0;
    for (std::size_t i = 0; i < rho.size(); ++i)
      if (static_cast<Index>(i) != waves.zero()) sum += std::norm(rho[i] - exact[i]);
    return std::sqrt(comm.sum(sum));
  }
  /// Error after each step; the first input is zero except for the number of electrons.
  std::vector<double> history(const MixerOptions& options, int steps) const {
    Mixer<GridFields> mixer(fields, options);
    GridFft::Coefficients rho(static_cast<std::size_t>(waves.size()));
    const auto zero = static_cast<std::size_t>(std::max<Index>(waves.zero(), 0));
    if (waves.zero() >= 0) rho[zero] = 3.25;
    std::vector<double> errors{error(rho)};
    for (int s = 0; s < steps; ++s) {
      rho = mixer.next({{rho}}, {{output(rho)}}).n[0];
      if (waves.zero() >= 0) {
        EXPECT_LT(std::abs(rho[zero] - 3.25), 1e-11);
      }
      errors.push_back(error(rho));
    }
    return errors;
  }
};

TEST(Mixer, KerkerWithTheExactScreeningConvergesInOneStep) {
  GridSetup setup(Scheme::balanced, cube, {7, 8, 9});
  const Model model{setup.fields};
  const std::vector<double> errors =
      model.history({.history = 1, .preconditioner = {PreconditionerKind::kerker, std::sqrt(5.0)}}, 1);
  EXPECT_LT(errors[1], 1e-12 * errors[0]);
}

TEST(Mixer, PulayConvergesFasterThanLinearMixing) {
  GridSetup setup(Scheme::balanced, cube, {7, 8, 9});
  const Model model{.fields = setup.fields, .coupling = 0.02};
  const MixerOptions damped{.beta = 0.5, .history = 1, .preconditioner = {PreconditionerKind::kerker}};
  const std::vector<double> linear = model.history(damped, 15);
  const std::vector<double> pulay = model.history({.beta = 0.5, .preconditioner = {PreconditionerKind::kerker}}, 15);
  EXPECT_LT(pulay[15], 1e-7 * pulay[0]);
  EXPECT_GT(linear[15], 100 * pulay[15]);
  EXPECT_LT(linear[15], linear[0]);
}

TEST(Mixer, BroydenConverges) {
  GridSetup setup(Scheme::balanced, cube, {7, 8, 9});
  const Model model{.fields = setup.fields, .coupling = 0.02};
  const MixerOptions options{
      .method = MixingMethod::broyden, .beta = 0.5, .preconditioner = {PreconditionerKind::kerker}};
  const std::vector<double> broyden = model.history(options, 15);
  EXPECT_LT(broyden[15], 1e-5 * broyden[0]);
}

TEST(Mixer, MethodsAgreeWithOneStepOfHistory) {  // with one difference both are the secant method
  GridSetup setup(Scheme::balanced, cube, {7, 8, 9});
  const Model model{.fields = setup.fields, .coupling = 0.02};
  MixerOptions options{.beta = 0.5, .history = 2, .preconditioner = {PreconditionerKind::kerker}};
  const std::vector<double> pulay = model.history(options, 2);
  options.method = MixingMethod::broyden;
  const std::vector<double> broyden = model.history(options, 2);
  EXPECT_NEAR(broyden[2], pulay[2], 1e-9 * pulay[0]);
}

TEST(Mixer, APairThatIsForgottenMayBeGivenAgain) {
  GridSetup setup(Scheme::balanced, cube, {7, 8, 9});
  const Model model{.fields = setup.fields, .coupling = 0.02};
  const MixerOptions options{.beta = 0.5, .preconditioner = {PreconditionerKind::kerker}};
  Mixer<GridFields> plain(setup.fields, options), forgetful(setup.fields, options);
  const GridFft::Coefficients first(static_cast<std::size_t>(model.waves.size()));
  const GridFft::Coefficients second = plain.next({{first}}, {{model.output(first)}}).n[0];
  EXPECT_FALSE(plain.knows_response());
  (void)forgetful.next({{first}}, {{model.output(first)}});
  (void)forgetful.next({{second}}, {{model.output(second)}});
  EXPECT_TRUE(forgetful.knows_response());
  forgetful.forget_latest();
  EXPECT_FALSE(forgetful.knows_response());
  EXPECT_EQ(plain.next({{second}}, {{model.output(second)}}).n, forgetful.next({{second}}, {{model.output(second)}}).n);
}

TEST(DensityError, IsThatOfAProductWithTheKernel) {
  GridSetup setup(Scheme::balanced, cube, {7, 8, 9});
  const Model model{setup.fields};
  const auto sum = [](const GridFft::Coefficients& a, double factor, const GridFft::Coefficients& b) {
    GridFft::Coefficients result(a);
    for (std::size_t i = 0; i < a.size(); ++i) result[i] += factor * b[i];
    return result;
  };
  using Coefficients = GridFft::Coefficients;
  const auto energy_between = [&](const Coefficients& from, const Coefficients& to) {
    return change_energy<GridFields>(setup.fields, {from}, {to});
  };
  const auto error_estimate = [&](const Coefficients& input, const Coefficients& output, const Coefficients& next) {
    return output_error(energy_between(input, output), energy_between(next, output), energy_between(input, next));
  };
  // With the output share c of the way from the fixed point to the input, the error is c (c + 1) / (c + 1)^2 of the
  // energy of the step on the other side of the fixed point.
  const GridFft::Coefficients exact = model.fixed_point();
  GridFft::Coefficients away(exact);
  for (Complex& value : away) value *= 0.01;
  const GridFft::Coefficients input = sum(exact, 1, away);
  for (const double c : {0.5, 1.0, 4.0}) {
    const GridFft::Coefficients output = sum(exact, -c, away);
    const double of_step = energy_between(input, output);
    EXPECT_NEAR(error_estimate(input, output, exact), of_step * c / (c + 1), 1e-10 * of_step);
  }
  const GridFft::Coefficients same = sum(exact, 0, away), far = sum(exact, 100, away);
  const double of_step = energy_between(input, same);
  EXPECT_DOUBLE_EQ(error_estimate(input, same, exact), 0.1 * of_step);
  EXPECT_DOUBLE_EQ(error_estimate(input, same, far), of_step);
}

TEST(Mixer, StaysAtTheFixedPoint) {
  GridSetup setup(Scheme::balanced, cube, {5, 4, 3});
  const Model model{setup.fields};
  for (const MixingMethod method : {MixingMethod::pulay, MixingMethod::broyden}) {
    const std::vector<double> errors =
        model.history({.method = method, .preconditioner = {PreconditionerKind::kerker}}, 40);
    for (const double e : errors) EXPECT_TRUE(std::isfinite(e));
    EXPECT_LT(errors.back(), 1e-12 * errors[0]);
  }
}

}  // namespace
}  // namespace wavegrid::test_mixer
