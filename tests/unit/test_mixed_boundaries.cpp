// Electrostatics with free and periodic directions against analytic sums.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include <wavegrid/base/error.hpp>
#include <wavegrid/ions/coulomb_kernel.hpp>
#include <wavegrid/ions/mixed_boundaries.hpp>

namespace wavegrid::test_mixed_boundaries {
namespace {

constexpr double d = 3;  // bohr, between neighbouring charges

TEST(MixedBoundaries, ChainsAndLayersHaveTheirMadelungConstants) {
  const Lattice chain({{{0, 2 * d, 0}, {9, 1, 0}, {0, 2, 5}}});
  EXPECT_NEAR(mixed_boundary_energy(chain, {true, false, false}, {{0, 0, 0}, {0, d, 0}}, {1, -1}).energy,
              -2 * std::numbers::ln2 / d, 1e-12);
  const Lattice layer({{{d, d, 0}, {3, 4, 9}, {d, -d, 0}}});
  EXPECT_NEAR(mixed_boundary_energy(layer, {true, false, true}, {{1, 0, 2}, {1 + d, 0, 2}}, {1, -1}).energy,
              -1.6155426267128247 / d, 1e-12);
}

TEST(MixedBoundaries, WithoutPeriodicDirectionsTheyAreACluster) {
  const std::vector<Vec3> positions{{0, 0, 0}, {1, 2, 0.5}, {-3, 1, 2}};
  const std::vector<double> charges{1, 4, -2};
  const Lattice lattice({{{4, 0, 0}, {0, 4, 0}, {0, 0, 4}}});
  const ClusterEnergy found = mixed_boundary_energy(lattice, {false, false, false}, positions, charges);
  const ClusterEnergy expected = cluster_energy(positions, charges);
  EXPECT_NEAR(found.energy, expected.energy, 1e-11);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_LT(norm(found.forces[i] - expected.forces[i]), 1e-11);
  EXPECT_THROW((void)mixed_boundary_energy(lattice, {true, true, true}, positions, charges), Error);
  EXPECT_THROW((void)mixed_boundary_energy(lattice, {true, false, true}, {{0, 0, 0}, {4, 0, 4}}, {1, 1}), Error);
}

TEST(MixedBoundaries, ForcesAreDerivativesAndPartsAddUp) {
  const Lattice lattice({{{6, 1, 0}, {0, 7, 0.5}, {1, 1, 8}}});
  const std::vector<double> charges{1, 3, -4};
  for (const std::array<bool, 3>& periodic : {std::array<bool, 3>{true, true, false}, {false, false, true}}) {
    const auto at = [&](double x, int part, int parts) {
      return mixed_boundary_energy(lattice, periodic, {{0, 0, 0}, {1 + x, 2 - x, 1 + x}, {-2, 1, 4}}, charges, part,
                                   parts);
    };
    const ClusterEnergy whole = at(0, 0, 1);
    const double slope = (at(1e-4, 0, 1).energy - at(-1e-4, 0, 1).energy) / 2e-4;
    EXPECT_NEAR(dot(whole.forces[1], {1, -1, 1}), -slope, 1e-7);
    double sum = 0;
    for (int part = 0; part < 3; ++part) sum += at(0, part, 3).energy;
    EXPECT_NEAR(sum, whole.energy, 1e-12);
  }
}

TEST(CoulombKernel, ItsSlopeIsTheDerivativeAlongThePeriodicDirections) {
  const Lattice lattice({{{6, 1, 0}, {0, 7, 0.5}, {1, 1, 8}}});
  constexpr double h = 1e-5;
  for (const std::array<bool, 3>& periodic :
       {std::array<bool, 3>{true, true, true}, {true, true, false}, {false, false, true}})
    for (const Vec3& g : {Vec3{0.3, -0.2, 0.4}, {1.1, 0.7, -2}, {0.05, 0.01, 0.02}}) {
      const CoulombKernel kernel(lattice, periodic, 4.3);
      const Vec3 p = kernel.along(g);
      const double difference = (kernel(g + h * p) - kernel(g - h * p)) / (2 * h);
      EXPECT_NEAR(kernel.slope(g) * norm2(p), difference, 1e-6 * std::abs(difference) + 1e-8);
    }
}

}  // namespace
}  // namespace wavegrid::test_mixed_boundaries
