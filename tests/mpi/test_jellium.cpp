// Eight electrons in a sphere of jellium (rs = 3.93 bohr, sodium): a calculation on a mesh without pseudopotentials.
//
// W. Ekardt, Phys. Rev. B 29, 1558 (1984), 10.1103/PhysRevB.29.1558, has the model. Exchange and the correlation of
// Gunnarsson and Lundqvist. The expected numbers are those of the radial equations (tridiagonal, 7200 points to 18
// bohr): total energy -0.57615 Ha, levels 1s -0.17097 and 1p -0.12431 Ha. A published result of another mesh code,
// with 0.5 bohr between points, is -0.5765, -0.1677 and -0.1226 Ha: on its points the edge of the ball is not sharp.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include <wavegrid/calculation/session.hpp>
#include <wavegrid/pseudo/pseudopotential.hpp>

namespace wavegrid::test_jellium {
namespace {

constexpr double pi = std::numbers::pi;

/// The potential of a ball of uniform positive charge.
class Jellium final : public Pseudopotential {
 public:
  Jellium(double charge, double radius) : charge_(charge), radius_(radius) {}

  [[nodiscard]] const std::string& element() const override { return element_; }
  [[nodiscard]] double valence_charge() const override { return charge_; }
  [[nodiscard]] const std::vector<double>& valence_occupation() const override { return occupation_; }
  [[nodiscard]] double local(double g) const override {
    const double x = g * radius_;
    return -4 * pi * charge_ / (g * g) * 3 * (std::sin(x) - x * std::cos(x)) / (x * x * x);
  }
  [[nodiscard]] double local_slope(double /*g*/) const override { return 0; }  // of the stress, which is not computed
  [[nodiscard]] double local_core() const override { return 4 * pi * charge_ * radius_ * radius_ / 10; }
  [[nodiscard]] double local_radial(double r) const override {
    return r > radius_ ? -charge_ / r : -0.5 * charge_ / radius_ * (3 - r * r / (radius_ * radius_));
  }
  [[nodiscard]] int num_channels() const override { return 0; }
  [[nodiscard]] int channel_l(int /*c*/) const override { return 0; }
  [[nodiscard]] int num_projectors(int /*c*/) const override { return 0; }
  [[nodiscard]] double coupling(int /*c*/, int /*i*/, int /*j*/) const override { return 0; }
  [[nodiscard]] double projector(int /*c*/, int /*i*/, double /*g*/) const override { return 0; }
  [[nodiscard]] double projector_slope(int /*c*/, int /*i*/, double /*g*/) const override { return 0; }
  [[nodiscard]] double projector_radial(int /*c*/, int /*i*/, double /*r*/) const override { return 0; }

  /// The energy of the ball itself, Ha.
  [[nodiscard]] double self_energy() const { return 0.6 * charge_ * charge_ / radius_; }

 private:
  std::string element_ = "Na";
  double charge_, radius_;
  std::vector<double> occupation_{2, 6};
};

CalculationResult solve(const std::shared_ptr<const Jellium>& ball, double spacing, double region) {
  const int points = static_cast<int>(std::lround(40 / spacing));
  Problem p{.crystal = {Lattice({{{40, 0, 0}, {0, 40, 0}, {0, 0, 40}}}), {"Na"}, {{0, {0.5, 0.5, 0.5}}}},
            .pseudopotentials = {ball},
            .scf = {}};
  p.grid = {points, points, points};
  p.mesh_basis = MeshBasis{.order = 12, .region = MeshBasis::Region::spheres, .radius = region, .periodic = {}};
  p.bands = 4;
  p.xc = "LDA_X+LDA_C_GL";
  p.scf.energy_tolerance = 1e-8;
  p.initial_wavefunctions = InitialWavefunctions::random;
  return run_calculation(Comm::world(), p);
}

/// Compares with the radial equations on a mesh of this spacing (bohr), 18 bohr around the ball.
void expect_the_radial_equations(double spacing, double tolerance) {
  const auto ball = std::make_shared<const Jellium>(8, 3.93 * 2);
  const CalculationResult result = solve(ball, spacing, 18);
  ASSERT_TRUE(result.scf.converged);
  const double energy = result.scf.energies.free() + ball->self_energy();
  EXPECT_NEAR(energy, -0.57615, tolerance);
  EXPECT_NEAR(result.scf.eigenvalues[0], -0.17097, tolerance);
  for (const std::size_t p : {1, 2, 3}) EXPECT_NEAR(result.scf.eigenvalues[p], -0.12431, tolerance);
}

TEST(Jellium, HasTheEnergyAndLevelsOfTheRadialEquations) {
  if (Comm::world().size() > 1) return;
  expect_the_radial_equations(1.0, 3e-5);
}

TEST(Jellium, HasThemAtTheSpacingOfThePublishedResult) {
  if (Comm::world().size() > 1) return;
  expect_the_radial_equations(0.5, 2e-5);
}

}  // namespace
}  // namespace wavegrid::test_jellium
