// Mixing of densities: a linear model of self-consistency on the FFT grid.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <vector>

#include "base/random.hpp"
#include "grid_setup.hpp"
#include "scf/mixer.hpp"

namespace wavegrid {
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
      rho = mixer.next({rho}, {output(rho)})[0];
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
}  // namespace wavegrid
