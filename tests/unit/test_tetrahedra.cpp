#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include <wavegrid/base/units.hpp>
#include <wavegrid/crystal/irreducible_kpoints.hpp>
#include <wavegrid/electrons/occupied_states.hpp>
#include <wavegrid/electrons/tetrahedra.hpp>

namespace wavegrid::test_tetrahedra {
namespace {

constexpr TetrahedronLevels both[]{TetrahedronLevels::bloechl, TetrahedronLevels::optimised};
constexpr Mat3 cubic{Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}};

/// A tight-binding band of a cubic crystal, from -3 to 3 Ha.
double level(const Vec3& k) {
  double sum = 0;
  for (const double x : k) sum -= std::cos(2 * units::pi * x);
  return sum;
}

std::vector<Index> all_points(const Int3& size) {
  std::vector<Index> numbers(static_cast<std::size_t>(size[0]) * size[1] * size[2]);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

std::vector<double> levels(const std::vector<KPoint>& points) {
  std::vector<double> found;
  for (const KPoint& point : points) found.push_back(level(point.k));
  return found;
}

double sum(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

TEST(Tetrahedra, WeightsAreTheStatesBelowAnEnergy) {
  const Int3 size{5, 4, 6};
  const std::vector<double> band = levels(monkhorst_pack({size, {0.5, 0, 0}}));
  for (const TetrahedronLevels kind : both) {
    const Tetrahedra tetrahedra(size, cubic, all_points(size), kind);
    for (const double states : {0.1, 0.3, 0.5, 0.9}) {
      const double fermi = tetrahedra.fermi_level(band, states, 1e-13);
      EXPECT_NEAR(sum(tetrahedra.weights(band, fermi)), states, 1e-11);
    }
    for (const double weight : tetrahedra.weights(band, 10)) EXPECT_NEAR(weight, 1.0 / 120, 1e-14);
    for (const double weight : tetrahedra.weights(band, -10)) EXPECT_EQ(weight, 0);
  }
}

TEST(Tetrahedra, OfIrreduciblePointsGiveTheSame) {
  const KMesh mesh{{6, 6, 6}, {0, 0, 0}};
  const std::vector<Index> numbers = irreducible_numbers(mesh, SpaceGroup{}, true);
  const IrreducibleKPoints reduced = irreducible(mesh, SpaceGroup{}, true);
  ASSERT_LT(reduced.kpoints.size(), 120U);
  for (const TetrahedronLevels kind : both) {
    const Tetrahedra whole(mesh.size, cubic, all_points(mesh.size), kind), folded(mesh.size, cubic, numbers, kind);
    const std::vector<double> of_all = levels(monkhorst_pack(mesh)), of_few = levels(reduced.kpoints);
    const double fermi = whole.fermi_level(of_all, 0.4, 1e-13);
    EXPECT_NEAR(folded.fermi_level(of_few, 0.4, 1e-13), fermi, 1e-11);
    const std::vector<double> weights = whole.weights(of_all, fermi), sums = folded.weights(of_few, fermi);
    std::vector<double> expected(sums.size(), 0.0);
    for (std::size_t n = 0; n < weights.size(); ++n) expected[static_cast<std::size_t>(numbers[n])] += weights[n];
    for (std::size_t k = 0; k < sums.size(); ++k) EXPECT_NEAR(sums[k], expected[k], 1e-12);
  }
}

/// The energy of a band with 0.3 states.
double band_energy(int count, TetrahedronLevels kind) {
  const Int3 size{count, count, count};
  const std::vector<double> band = levels(monkhorst_pack({size, {0, 0, 0}}));
  const Tetrahedra tetrahedra(size, cubic, all_points(size), kind);
  const std::vector<double> weights = tetrahedra.weights(band, tetrahedra.fermi_level(band, 0.3, 1e-13));
  return std::inner_product(weights.begin(), weights.end(), band.begin(), 0.0);
}

TEST(Tetrahedra, ConvergeFastWithTheMesh) {
  const double exact = band_energy(48, TetrahedronLevels::optimised);
  EXPECT_NEAR(band_energy(48, TetrahedronLevels::bloechl), exact, 1e-5);
  EXPECT_NEAR(band_energy(8, TetrahedronLevels::bloechl), exact, 4e-3);
  EXPECT_NEAR(band_energy(8, TetrahedronLevels::optimised), exact, 4e-3);
  EXPECT_NEAR(band_energy(16, TetrahedronLevels::optimised), exact, 2e-4);
}

TEST(Tetrahedra, HaveTheFermiLevelInTheMiddleOfAGapAndNoEntropy) {
  const KMesh mesh{{4, 4, 4}, {0, 0, 0}};
  std::vector<double> eigenvalues;
  for (const KPoint& point : monkhorst_pack(mesh))
    eigenvalues.insert(eigenvalues.end(), {0.1 * level(point.k), 1 - 0.1 * level(point.k), 5});
  Electrons electrons{2.0, {SmearingKind::tetrahedra, 0}};
  electrons.tetrahedra =
      std::make_shared<const Tetrahedra>(mesh.size, cubic, all_points(mesh.size), TetrahedronLevels::bloechl);
  const StateTable table{64, 1, 3};
  const std::vector<double> k_weights(64, 1.0 / 64);
  const SpinOccupations filled = occupy_states(eigenvalues, table, k_weights, electrons);
  EXPECT_NEAR(filled.fermi.front(), 0.5, 1e-6);
  EXPECT_EQ(filled.minus_ts, 0);
  EXPECT_FALSE(filled.too_few_bands);
  for (std::size_t i = 0; i < eigenvalues.size(); ++i) EXPECT_NEAR(filled.f[i], i % 3 == 0 ? 2.0 / 64 : 0, 1e-13);
  EXPECT_EQ(sum(occupation_slopes(eigenvalues, table, k_weights, electrons, filled.fermi)), 0);
}

TEST(Tetrahedra, GiveDegenerateLevelsTheSameOccupation) {
  const Int3 size{3, 3, 3};
  std::vector<double> pair;  // two bands that touch at Gamma, the first point
  for (const KPoint& point : monkhorst_pack({size, {0, 0, 0}}))
    pair.insert(pair.end(), {level(point.k), 2 * level(point.k) + 3});
  const std::vector<double> weights =
      Tetrahedra(size, cubic, all_points(size), TetrahedronLevels::bloechl).weights(pair, -1.5);
  EXPECT_EQ(weights[0], weights[1]);
  EXPECT_GT(weights[0], 0);
}

}  // namespace
}  // namespace wavegrid::test_tetrahedra
