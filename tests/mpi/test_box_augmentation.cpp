// The augmentation charge in boxes around the atoms, of a made-up dataset whose functions are longer than the cell:
// against that in reciprocal space, its integrals as an adjoint, its derivatives against differences, its bits.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <memory>
#include <numbers>
#include <optional>
#include <vector>

#include <wavegrid/base/random.hpp>
#include <wavegrid/terms/chosen_augmentation.hpp>

#include "augmented_stub.hpp"
#include "grid_setup.hpp"

namespace wavegrid::test_box_augmentation {
namespace {

using std::numbers::pi;

const Int3 grid{20, 18, 21};

Crystal crystal(const Lattice& lattice = skewed) {
  return {lattice, {"Si", "H"}, {{0, {0.02, 0.5, 0.45}}, {1, {0.4, 0.3, 0.9}}, {0, {0.7, 0.11, 0.2}}}};
}
Pseudopotentials potentials() {
  AugmentedDataset dataset = made_up_dataset();
  dataset.d0.assign(dataset.waves.size() * dataset.waves.size(), 0.0);
  return {std::make_shared<AugmentedStub>(dataset), std::make_shared<AugmentedStub>()};
}

AtomMatrices matrices() {
  AtomMatrices all;
  for (std::size_t a = 0; a < 3; ++a) {
    const Index n = a == 1 ? 0 : made_up_projectors;
    auto& m = all.emplace_back(n, n);
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j <= i; ++j) m(i, j) = m(j, i) = random_at({Index(a), i, j, 0});
  }
  return all;
}

/// Waves of the density alone.
FieldValues potential_on(const GridSetup& setup) {
  return setup.field([](int x, int y, int z) {
    return std::cos(2 * pi * (2.0 * x / grid[0] - 1.0 * y / grid[1])) +
           std::sin(2 * pi * (1.0 * y / grid[1] + 3.0 * z / grid[2] + 0.1));
  });
}

using Boxed = BoxedAugmentation<GridFields>;
using Reciprocal = FourierAugmentation<GridFields>;

std::unique_ptr<const Boxed> boxed(GridSetup& setup, const Crystal& at = crystal(), const BoxOptions& options = {}) {
  return std::make_unique<const Boxed>(setup.fields, at, potentials(), SpaceGroup::identity(),
                                       Augmentation::Datasets::all, options);
}
std::unique_ptr<const Reciprocal> reciprocal(GridSetup& setup) {
  return std::make_unique<const Reciprocal>(setup.fields, crystal(), potentials(), SpaceGroup::identity());
}
double energy(GridSetup& setup, const AugmentationCharge<GridFields>& charge, const FieldValues& v) {
  const FieldValues n = charge.density(matrices());
  return setup.fields.integrate([&](std::size_t i) { return v[i] * n[i]; });
}

TEST(BoxAugmentation, AgreesWithReciprocalSpace) {
  GridSetup setup(Scheme::greedy, skewed, grid);
  const auto boxes = boxed(setup);
  const auto exact = reciprocal(setup);
  EXPECT_LT(largest_difference(boxes->density(matrices()), exact->density(matrices())), 1e-6);
  const FieldValues v = potential_on(setup);
  const AtomMatrices found = boxes->integrals(v), expected = exact->integrals(v);
  EXPECT_LT(largest_difference(numbers_of(found), numbers_of(expected)), 1e-6);
  EXPECT_GT(largest_difference(numbers_of(found), numbers_of(boxes->zeros())), 0.05);
  Gradients of_boxes{.with_forces = true, .with_strain = true}, of_waves = of_boxes;
  boxes->add_gradients(matrices(), v, of_boxes);
  exact->add_gradients(matrices(), v, of_waves);
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t axis = 0; axis < 3; ++axis)
      EXPECT_NEAR(of_boxes.forces["augmentation"][a][axis], of_waves.forces["augmentation"][a][axis], 1e-5);
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t b = 0; b < 3; ++b)
      EXPECT_NEAR(of_boxes.strains["augmentation"][a][b], of_waves.strains["augmentation"][a][b], 1e-5) << a << b;
}

TEST(BoxAugmentation, IntegralsAreTheAdjoint) {
  GridSetup setup(Scheme::greedy, skewed, grid);
  const auto boxes = boxed(setup);
  const FieldValues v = setup.field([](int x, int y, int z) { return random_at({x, y, z, 9}) - 0.5; });
  const double expected = energy(setup, *boxes, v);
  EXPECT_NEAR(contraction(boxes->integrals(v), matrices()), expected, 1e-11 * std::abs(expected));
  EXPECT_GT(std::abs(expected), 0.01);
}

TEST(BoxAugmentation, ForcesAreThoseOfDifferences) {
  GridSetup setup(Scheme::greedy, skewed, grid);
  const FieldValues v = potential_on(setup);
  Gradients found{.with_forces = true, .with_strain = false};
  boxed(setup)->add_gradients(matrices(), v, found);
  constexpr double h = 1e-4;
  const auto moved = [&](std::size_t axis, double step) {
    Crystal at = crystal();
    for (std::size_t i = 0; i < 3; ++i) at.atoms[2].position[i] += step * skewed.reciprocal()[i][axis] / (2 * pi);
    return energy(setup, *boxed(setup, at), v);
  };
  for (std::size_t axis = 0; axis < 3; ++axis)
    EXPECT_NEAR(found.forces["augmentation"][2][axis], -(moved(axis, h) - moved(axis, -h)) / (2 * h), 1e-6);
}

TEST(BoxAugmentation, BitsDoNotDependOnRanks) {
  GridSetup all(Scheme::greedy, skewed, grid), one(Scheme::greedy, skewed, grid, Comm::self());
  for (const Transport transport : {Transport::shared, Transport::alltoallv, Transport::pairwise}) {
    const BoxOptions options{.deterministic = true, .transport = transport};
    const BoxAugmentation here(one.fields.fourier_box(), crystal(), potentials(), Augmentation::Datasets::all, options);
    const BoxAugmentation there(all.fields.fourier_box(), crystal(), potentials(), Augmentation::Datasets::all,
                                options);
    EXPECT_EQ(numbers_of(here.integrals(potential_on(one))), numbers_of(there.integrals(potential_on(all))));
    const FieldValues whole = here.density(matrices());
    const FieldValues expected = all.field(
        [&](int x, int y, int z) { return whole[static_cast<std::size_t>((x * grid[1] + y) * grid[2] + z)]; });
    EXPECT_EQ(there.density(matrices()), expected);
  }
}

TEST(BoxAugmentation, TheFirstPotentialAndBandsAreCompared) {
  GridSetup setup(Scheme::greedy, skewed, grid);
  const auto choice = std::make_shared<AugmentationChoice>(AugmentationChoice{.is_final = false});
  std::optional<AugmentationComparison> seen;
  const ChosenAugmentation<GridFields> chosen(
      setup.ranks.all(), reciprocal(setup), [&] { return boxed(setup); }, choice,
      [&](const AugmentationComparison& found, AugmentationChoice& after) {
        seen = found;
        after.in_boxes = true;
      });
  const FieldValues v = potential_on(setup);
  EXPECT_EQ(numbers_of(chosen.integrals(v)), numbers_of(reciprocal(setup)->integrals(v)));
  EXPECT_FALSE(seen);
  EXPECT_EQ(chosen.density(matrices()), boxed(setup)->density(matrices()));
  ASSERT_TRUE(seen);
  EXPECT_TRUE(choice->is_final);
  EXPECT_GT(seen->error, 0.0);
  EXPECT_LT(seen->error, 1e-6);
  EXPECT_GT(seen->reciprocal_seconds, 0.0);
  EXPECT_GT(seen->box_seconds, 0.0);
  EXPECT_EQ(numbers_of(chosen.integrals(v)), numbers_of(boxed(setup)->integrals(v)));
}

}  // namespace
}  // namespace wavegrid::test_box_augmentation
