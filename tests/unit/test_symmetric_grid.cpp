// Grids that are compatible with space groups, and the stars of their G vectors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <wavegrid/base/error.hpp>
#include <wavegrid/basis/g_sphere.hpp>
#include <wavegrid/crystal/find_space_group.hpp>
#include <wavegrid/crystal/g_stars.hpp>
#include <wavegrid/crystal/symmetric_grid.hpp>

#include "crystals.hpp"

namespace wavegrid::test_symmetric_grid {
namespace {

using namespace test_data;

/// A centred rectangular cell: one operation shears it, so that the second size must be a multiple of the first.
Crystal sheared() { return {Lattice({{{3, -1, 0}, {0, 2, 0}, {0, 0, 5}}}), {"Al"}, {{0, {0, 0, 0}}}}; }

struct Case {
  Crystal crystal;
  Int3 minimum, grid;
};

std::vector<Case> cases() {
  return {
      {fcc_primitive(), {13, 16, 14}, {16, 16, 16}},
      {fcc_primitive(), {13, 13, 13}, {14, 14, 14}},
      {fcc_conventional(), {15, 15, 15}, {16, 16, 16}},
      {diamond_primitive(), {18, 18, 18}, {20, 20, 20}},
      {diamond_conventional(), {17, 13, 13}, {20, 20, 20}},
      {hcp(), {18, 20, 45}, {20, 20, 48}},
      {graphene(), {20, 18, 45}, {20, 20, 45}},
      {triclinic(), {11, 13, 17}, {12, 14, 18}},
      {sheared(), {4, 7, 7}, {4, 8, 7}},
      {supercell(fcc_conventional(), {1, 1, 5}), {15, 15, 71}, {16, 16, 80}},
  };
}

bool is_compatible_with_all(const Int3& grid, const SpaceGroup& group) {
  return std::all_of(group.operations().begin(), group.operations().end(),
                     [&](const auto& operation) { return is_compatible(grid, operation); });
}

TEST(SymmetricGrid, IsTheSmallestCompatibleWithAllOperations) {
  for (const Case& known : cases()) {
    const SpaceGroup group = find_space_group(known.crystal);
    const Int3 grid = symmetric_grid(known.minimum, group);
    EXPECT_EQ(grid, known.grid);
    EXPECT_TRUE(is_compatible_with_all(grid, group));
    EXPECT_EQ(compatible_subgroup(grid, group).message, "");
    const Int3& least = known.minimum;  // no grid with fewer points is compatible
    const int points = grid[0] * grid[1] * grid[2];
    for (int x = smooth_size_from(least[0]); x * least[1] * least[2] < points; x = smooth_size_from(x + 1))
      for (int y = smooth_size_from(least[1]); x * y * least[2] < points; y = smooth_size_from(y + 1))
        for (int z = smooth_size_from(least[2]); x * y * z < points; z = smooth_size_from(z + 1))
          EXPECT_FALSE(is_compatible_with_all({x, y, z}, group)) << x << " " << y << " " << z;
  }
}

TEST(SymmetricGrid, OperationsThatDoNotFitTheGridAreLeftOut) {
  const SpaceGroup group = find_space_group(diamond_primitive());
  const CompatibleSubgroup odd = compatible_subgroup({15, 15, 15}, group);
  EXPECT_EQ(odd.group.size(), 24);
  EXPECT_EQ(odd.message,
            "the grid 15 x 15 x 15 is compatible with 24 of 48 symmetry operations of Fd-3m; the others are left out "
            "(a grid chosen "
            "by the program, or another origin, may keep more)");
  EXPECT_EQ(compatible_subgroup({16, 16, 15}, group).group.num_rotations(), 2);
}

TEST(SymmetricGrid, ArbitraryOriginsDoNotChangeTheGrid) {
  Crystal crystal = hcp();
  for (Atom& atom : crystal.atoms) atom.position[2] += 0.0712345;
  const SpaceGroup group = find_space_group(crystal);
  const Int3 grid = symmetric_grid({18, 18, 30}, group);
  EXPECT_EQ(grid, (Int3{18, 18, 30}));
  EXPECT_EQ(compatible_subgroup(grid, group).group.size(), 12);
}

TEST(SymmetricGrid, SizesBelowOneAreRefused) {
  EXPECT_THROW((void)symmetric_grid({4, 0, 4}, SpaceGroup::identity()), Error);
}

/// Whether all operations allow a field that is not zero at g.
bool is_allowed(const Int3& grid, const SpaceGroup& group, const Int3& g) {
  for (const SymmetryOperation& operation : group.operations()) {
    if (box_index(grid, on_reciprocal(operation.rotation, g)) != box_index(grid, g)) continue;
    double turns = 0;
    for (std::size_t i = 0; i < 3; ++i) turns += g[i] * operation.translation[i];
    if (std::abs(turns - std::round(turns)) > 1e-6) return false;
  }
  return true;
}

TEST(GStars, EveryAllowedGIsInOneStarOfOnePart) {
  for (const Case& known : cases()) {
    const SpaceGroup group = find_space_group(known.crystal);
    const Int3 grid = symmetric_grid({4, 5, 6}, group);
    for (const int parts : {1, 3, 7}) {
      std::vector<int> owners(static_cast<std::size_t>(grid[0] * grid[1] * grid[2]), 0);
      for (int part = 0; part < parts; ++part) {
        const GStars stars = make_g_stars(grid, group, parts, part);
        ASSERT_EQ(stars.begin.back(), stars.num_members());
        for (std::size_t s = 0; s < stars.first.size(); ++s)
          for (Index m = stars.begin[s]; m < stars.begin[s + 1]; ++m) {
            const auto i = static_cast<std::size_t>(m);
            const Rotation& rotation = group.rotation_operation(stars.rotation[i]).rotation;
            EXPECT_EQ(stars.members[i], box_index(grid, on_reciprocal(rotation, stars.first[s])));
            ++owners[static_cast<std::size_t>(stars.members[i])];
          }
      }
      for (int x = 0; x < grid[0]; ++x)
        for (int y = 0; y < grid[1]; ++y)
          for (int z = 0; z < grid[2]; ++z)
            EXPECT_EQ(owners[static_cast<std::size_t>(box_index(grid, {x, y, z}))],
                      is_allowed(grid, group, {x, y, z}) ? 1 : 0);
    }
  }
}

TEST(GStars, AreDistributedEvenly) {
  const SpaceGroup group = find_space_group(fcc_primitive());
  for (const int parts : {2, 7, 16, 48}) {
    Index most = 0, all = 0;
    for (int part = 0; part < parts; ++part) {
      const Index members = make_g_stars({48, 48, 48}, group, parts, part).num_members();
      most = std::max(most, members);
      all += members;
    }
    EXPECT_EQ(all, 48 * 48 * 48);
    EXPECT_LT(static_cast<double>(most * parts), 1.25 * static_cast<double>(all)) << parts;
  }
}

TEST(GStars, GridsThatAreNotCompatibleAreRefused) {
  EXPECT_THROW((void)make_g_stars({15, 15, 15}, find_space_group(diamond_primitive()), 1, 0), Error);
}

}  // namespace
}  // namespace wavegrid::test_symmetric_grid
