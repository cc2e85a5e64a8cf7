// Averages of densities over a space group in reciprocal space, compared with averages over grid points.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/random.hpp>
#include <wavegrid/crystal/find_space_group.hpp>
#include <wavegrid/crystal/symmetric_grid.hpp>
#include <wavegrid/terms/density_symmetriser.hpp>

#include "../unit/crystals.hpp"

namespace wavegrid::test_density_symmetriser {
namespace {

using namespace test_data;
using Complex = std::complex<double>;
using Field = std::vector<double>;          // of the whole grid, at (iz ny + iy) nx + ix
using Coefficients = std::vector<Complex>;  // likewise, or of one rank
constexpr double pi = std::numbers::pi;

struct Case {
  std::string name;
  Crystal crystal;
  Int3 grid;
  SpaceGroup group;  // the operations of the crystal under which the grid is invariant
};

/// Even and odd sizes; the sheared cell needs a second size that is a multiple of the first.
const std::vector<Case>& cases() {
  const Lattice sheared({{{3, -1, 0}, {0, 2, 0}, {0, 0, 5}}});
  static std::vector<Case> all{
      {"fcc, even", fcc_primitive(), {6, 6, 6}, {}},
      {"fcc, odd", fcc_primitive(), {5, 5, 5}, {}},
      {"fcc, four atoms", fcc_conventional(), {8, 8, 8}, {}},
      {"fcc, 2 x 1 x 1 cells of four atoms", supercell(fcc_conventional(), {2, 1, 1}), {8, 6, 6}, {}},
      {"diamond", diamond_primitive(), {8, 8, 8}, {}},
      {"diamond on a grid compatible with half", diamond_primitive(), {6, 6, 6}, {}},
      {"hcp", hcp(), {6, 6, 8}, {}},
      {"graphene", graphene(), {7, 7, 4}, {}},
      {"sheared", {sheared, {"Al"}, {{0, {0, 0, 0}}}}, {4, 8, 5}, {}},
      {"triclinic", triclinic(), {4, 5, 6}, {}},
      {"fewer planes than ranks", fcc_primitive(), {2, 2, 2}, {}}};
  if (all.front().group.is_identity())
    for (Case& one : all) one.group = compatible_subgroup(one.grid, find_space_group(one.crystal)).group;
  return all;
}

Index num_points(const Int3& n) { return static_cast<Index>(n[0]) * n[1] * n[2]; }

Int3 point_at(const Int3& n, Index i) {
  return {static_cast<int>(i % n[0]), static_cast<int>(i / n[0] % n[1]), static_cast<int>(i / n[0] / n[1])};
}

Field random_field(const Int3& n, Index seed) {
  Field field;
  for (Index i = 0; i < num_points(n); ++i) field.push_back(random_at({seed, i}));
  return field;
}

/// Plain sums over points, along one axis after the other.
Coefficients to_recip(const Int3& n, const Field& field) {
  Coefficients all(field.begin(), field.end());
  for (std::size_t d = 0; d < 3; ++d) {
    const Coefficients before = std::exchange(all, Coefficients(all.size()));
    for (Index i = 0; i < num_points(n); ++i) {
      Int3 from = point_at(n, i);
      const int g = from[d];
      for (from[d] = 0; from[d] < n[d]; ++from[d])
        all[static_cast<std::size_t>(i)] += before[static_cast<std::size_t>(box_index(n, from))] *
                                            std::polar(1.0 / n[d], -2 * pi * (g * from[d] % n[d]) / n[d]);
    }
  }
  return all;
}

/// 1/N sum over all operations, each of which maps every grid point to a grid point.
Field averaged_over_points(const Int3& n, const SpaceGroup& group, const Field& field) {
  Field sum(field.size(), 0);
  for (const SymmetryOperation& operation : group.operations()) {
    const GridOperation map = on_grid(n, operation);
    for (Index i = 0; i < num_points(n); ++i) {
      const Int3 p = point_at(n, i);
      Int3 image = map.translation;
      for (std::size_t a = 0; a < 3; ++a)
        for (std::size_t b = 0; b < 3; ++b) image[a] += map.matrix[a][b] * p[b];
      sum[static_cast<std::size_t>(box_index(n, image))] += field[static_cast<std::size_t>(i)] / group.size();
    }
  }
  return sum;
}

/// Fields on a communicator, distributed by a scheme.
struct FieldSetup {
  ProcessGrid ranks;
  GridFft fft;

  FieldSetup(const Comm& comm, Scheme scheme, const Case& from)
      : FieldSetup(
            comm, scheme, from,
            make_partition(scheme, GSphere::box(from.crystal.lattice, from.grid).counts(), from.grid[0], comm.size())
                .shape) {}
  FieldSetup(const Comm& comm, Scheme scheme, const Case& from, GridShape shape)
      : ranks(comm, shape.rows, shape.columns),
        fft(ranks, from.crystal.lattice, from.grid, scheme, {Transport::alltoallv, 1, 1, PlanEffort::estimate}) {}

  Coefficients share_of(const Coefficients& all) const {
    Coefficients mine;
    for (const Int3& g : fft.waves().g()) mine.push_back(all[static_cast<std::size_t>(box_index(fft.grid(), g))]);
    return mine;
  }
  Coefficients gathered(std::span<const Complex> mine) const {
    Coefficients all(static_cast<std::size_t>(num_points(fft.grid())));
    for (std::size_t i = 0; i < mine.size(); ++i)
      all[static_cast<std::size_t>(box_index(fft.grid(), fft.waves().g()[i]))] = mine[i];
    fft.comm().sum(std::span(all));
    return all;
  }
  Coefficients symmetrised(const SpaceGroup& group, const Coefficients& all) const {
    DensitySymmetriser symmetriser(fft, group);
    Coefficients mine = share_of(all);
    symmetriser.symmetrise(mine);
    return gathered(mine);
  }
};

double largest_difference(const Coefficients& a, const Coefficients& b) {
  EXPECT_EQ(a.size(), b.size());
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}

TEST(DensitySymmetriser, EqualsTheAverageOverGridPoints) {
  for (const Case& from : cases()) {
    SCOPED_TRACE(from.name);
    const SpaceGroup& group = from.group;
    const Field field = random_field(from.grid, 1), average = averaged_over_points(from.grid, group, field);
    const Coefficients all = to_recip(from.grid, field);
    for (const Scheme scheme : {Scheme::greedy, Scheme::optimized}) {
      const FieldSetup setup(Comm::world(), scheme, from);
      const Coefficients once = setup.symmetrised(group, all);
      EXPECT_LT(largest_difference(once, to_recip(from.grid, average)), 1e-14);
      EXPECT_LT(largest_difference(setup.symmetrised(group, once), once), 1e-15);  // the second call changes nothing
      EXPECT_NEAR(std::abs(once[0] - all[0]), 0, 1e-16);                           // the integral is preserved
    }
  }
}

TEST(DensitySymmetriser, ResultIsInvariantUnderEveryOperation) {
  for (const Case& from : cases()) {
    SCOPED_TRACE(from.name);
    const SpaceGroup& group = from.group;
    FieldSetup setup(Comm::world(), Scheme::balanced, from);
    const Coefficients once = setup.symmetrised(group, to_recip(from.grid, random_field(from.grid, 2)));
    for (const SymmetryOperation& operation : group.operations())
      for (Index i = 0; i < num_points(from.grid); ++i) {
        const Int3 g = point_at(from.grid, i);
        double turns = 0;
        for (std::size_t d = 0; d < 3; ++d) turns += g[d] * operation.translation[d];
        const Complex moved =
            once[static_cast<std::size_t>(box_index(from.grid, on_reciprocal(operation.rotation, g)))];
        ASSERT_LT(std::abs(moved * std::polar(1.0, -2 * pi * turns) - once[static_cast<std::size_t>(i)]), 1e-14);
      }
  }
}

TEST(DensitySymmetriser, ResultIsRealOnTheGrid) {
  for (const Case& from : cases()) {
    SCOPED_TRACE(from.name);
    FieldSetup setup(Comm::world(), Scheme::greedy, from);
    Coefficients mine = setup.share_of(to_recip(from.grid, random_field(from.grid, 3)));
    DensitySymmetriser(setup.fft, from.group).symmetrise(mine);
    // Taking the real part on the grid changes nothing.
    EXPECT_LT(largest_difference(setup.fft.to_recip(setup.fft.to_real(mine)), mine), 1e-15);
  }
}

TEST(DensitySymmetriser, DoesNotDependOnTheRanksBitForBit) {
  for (const Case& from : cases()) {
    SCOPED_TRACE(from.name);
    const SpaceGroup& group = from.group;
    const Coefficients all = to_recip(from.grid, random_field(from.grid, 4));
    const Coefficients alone = FieldSetup(Comm::self(), Scheme::greedy, from).symmetrised(group, all);
    for (const Scheme scheme : {Scheme::greedy, Scheme::cyclic, Scheme::optimized})
      EXPECT_EQ(FieldSetup(Comm::world(), scheme, from).symmetrised(group, all), alone);
    const Comm world = Comm::world();
    const Comm part = world.split(world.rank() % 2, -world.rank());
    EXPECT_EQ(FieldSetup(part, Scheme::greedy, from).symmetrised(group, all), alone);
  }
}

TEST(DensitySymmetriser, TakesSeveralFieldsTogether) {
  const Case& from = cases()[6];
  const SpaceGroup& group = from.group;
  const FieldSetup setup(Comm::world(), Scheme::greedy, from);
  const Coefficients up = setup.share_of(to_recip(from.grid, random_field(from.grid, 5)));
  const Coefficients down = setup.share_of(to_recip(from.grid, random_field(from.grid, 6)));
  Coefficients both(up);
  both.insert(both.end(), down.begin(), down.end());
  DensitySymmetriser symmetriser(setup.fft, group, Transport::pairwise);
  Coefficients one(up), other(down);
  symmetriser.symmetrise(one);
  symmetriser.symmetrise(both.data(), 2);
  symmetriser.symmetrise(other);
  one.insert(one.end(), other.begin(), other.end());
  EXPECT_EQ(both, one);
}

TEST(DensitySymmetriser, TheIdentityDoesNothing) {
  const Case& from = cases()[0];
  const FieldSetup setup(Comm::world(), Scheme::greedy, from);
  DensitySymmetriser symmetriser(setup.fft, SpaceGroup::identity());
  EXPECT_TRUE(symmetriser.is_identity());
  Coefficients mine = setup.share_of(to_recip(from.grid, random_field(from.grid, 7)));
  const Coefficients before = mine;
  symmetriser.symmetrise(mine);
  EXPECT_EQ(mine, before);
}

TEST(DensitySymmetriser, GridsThatAreNotInvariantAreRefused) {
  const Case from{"diamond", diamond_primitive(), {6, 6, 6}, {}};
  const FieldSetup setup(Comm::world(), Scheme::greedy, from);
  EXPECT_THROW(DensitySymmetriser(setup.fft, find_space_group(from.crystal)), Error);
}

}  // namespace
}  // namespace wavegrid::test_density_symmetriser
