// The interaction of exact exchange in reciprocal space.
#include <gtest/gtest.h>

#include <cmath>

#include <wavegrid/base/units.hpp>
#include <wavegrid/fock/exchange_kernel.hpp>

namespace wavegrid::test_exchange_kernel {
namespace {

constexpr double ecut = 10;
const Mat3 skewed{{{0.1, 5.0, 5.2}, {4.9, 0.0, 5.1}, {5.0, 5.3, 0.2}}};
constexpr ExchangeInteraction bare{1, 0, 0}, screened{0, 1, 0.11}, both{0.3, 0.4, 0.3};

ExchangeKernel kernel(const Mat3& cell, const ExchangeInteraction& interaction, const Int3& mesh,
                      Singularity singularity, bool extrapolate = false) {
  const Int3 points{48 / mesh[0], 48 / mesh[1], 48 / mesh[2]};  // the same in the supercell
  return {Lattice(cell), interaction, mesh,  {.singularity = singularity, .extrapolate = extrapolate},
          ecut,          4 * ecut,    points};
}

Mat3 strained(const Mat3& cell, std::size_t a, std::size_t b, double by) {
  Mat3 changed = cell;
  for (std::size_t i = 0; i < 3; ++i) {
    changed[i][a] += 0.5 * by * cell[i][b];
    changed[i][b] += 0.5 * by * cell[i][a];
  }
  return changed;
}

TEST(ExchangeKernel, HasTheInteractionAwayFromZero) {
  const ExchangeKernel k = kernel(skewed, both, {2, 2, 2}, Singularity::none);
  const Vec3 q{0.5, 1, -0.5};
  const double q2 = norm2(Lattice(skewed).g_vector(q));
  EXPECT_NEAR(k(q), 4 * units::pi / q2 * (0.3 + 0.4 * (1 - std::exp(-q2 / (4 * 0.09)))), 1e-12);
  EXPECT_EQ(k({9, 9, 9}), 0);  // beyond the cutoff
  EXPECT_NEAR(k({0, 0, 0}), 0.4 * units::pi / 0.09, 1e-12);
}

TEST(ExchangeKernel, ACubeHasTheMadelungConstant) {
  // The correction of a mesh is the potential of a point charge in the lattice of the supercell, up to the width of the
  // auxiliary function: v(0) / (N Omega) = 2.837297 / L.
  const Mat3 cube{{{6, 0, 0}, {0, 6, 0}, {0, 0, 6}}};
  for (const int n : {2, 3}) {
    const double value = kernel(cube, bare, {n, n, n}, Singularity::gygi_baldereschi)({0, 0, 0});
    EXPECT_NEAR(value / (n * n * n * 216.0), 2.837297 / (6 * n), 2e-4);
  }
}

TEST(ExchangeKernel, TheSupercellHasTheSameValueAtZero) {
  Mat3 twice = skewed;
  for (Vec3& vector : twice) vector = 2.0 * vector;
  for (const Singularity s : {Singularity::gygi_baldereschi, Singularity::spherical, Singularity::wigner_seitz})
    EXPECT_NEAR(kernel(skewed, both, {2, 2, 2}, s)({0, 0, 0}), kernel(twice, both, {1, 1, 1}, s)({0, 0, 0}), 1e-8);
}

TEST(ExchangeKernel, StrainIsTheDerivative) {
  constexpr double step = 1e-5;  // few points change to another image
  for (const ExchangeInteraction& interaction : {bare, screened, both})
    for (const Singularity s :
         {Singularity::none, Singularity::gygi_baldereschi, Singularity::spherical, Singularity::wigner_seitz})
      for (const bool extrapolate : {false, true}) {
        if (extrapolate && s != Singularity::gygi_baldereschi) continue;
        for (const Vec3& q : {Vec3{0, 0, 0}, Vec3{0.5, 0, 0}, Vec3{0.5, -1, 1}}) {
          const Mat3 found = kernel(skewed, interaction, {2, 2, 2}, s, extrapolate).strain(q);
          for (const auto& [a, b] : {std::pair<std::size_t, std::size_t>{0, 0}, {1, 2}}) {
            const auto at = [&](double by) {
              return kernel(strained(skewed, a, b, by), interaction, {2, 2, 2}, s, extrapolate)(q);
            };
            EXPECT_NEAR(found[a][b], (at(step) - at(-step)) / (2 * step), 1e-5 * (1 + std::abs(found[a][b])));
          }
        }
      }
}

TEST(ExchangeKernel, AChargeInAFlatCellIsAlone) {
  // A Gaussian of width sigma interacts with itself by 1/(sigma sqrt(pi)), twice its energy. A sphere with the volume
  // of this cell reaches beyond its faces, to the charge's images.
  const Mat3 flat{{{4, 0.3, 0}, {1.8, 3.5, 0}, {0.5, 0, 40}}};
  constexpr double sigma = 0.7;
  const Int3 mesh{3, 3, 1}, points{24, 24, 240};
  const auto energy = [&](Singularity singularity) {
    const ExchangeKernel k(Lattice(flat), bare, mesh, {.singularity = singularity}, 60, 240, points);
    const Lattice lattice(flat);
    double sum = 0;
    for (int x = -24; x <= 24; ++x)
      for (int y = -24; y <= 24; ++y)
        for (int z = -90; z <= 90; ++z) {
          const Vec3 q{x / 3.0, y / 3.0, static_cast<double>(z)};
          sum += k(q) * std::exp(-sigma * sigma * norm2(lattice.g_vector(q)));
        }
    return sum / (9 * lattice.volume());
  };
  const double alone = 1 / (sigma * std::sqrt(units::pi));
  EXPECT_NEAR(energy(Singularity::wigner_seitz), alone, 1e-8);
  EXPECT_GT(std::abs(energy(Singularity::spherical) - alone), 1e-3);
}

TEST(ExchangeKernel, TheCorrectionBetweenPointsContinuesThatOfTheMesh) {
  const ExchangeKernel k = kernel(skewed, both, {2, 2, 2}, Singularity::gygi_baldereschi);
  const double volume = 8 * Lattice(skewed).volume();
  const Vec3 near{1e-3, 0, 0};
  EXPECT_NEAR(k.correction(near) + k(near) / volume, k({0, 0, 0}) / volume, 1e-5);
}

}  // namespace
}  // namespace wavegrid::test_exchange_kernel
