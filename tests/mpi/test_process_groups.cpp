// Groups of ranks, and the exchange of fields between all ranks and groups.
#include <gtest/gtest.h>

#include <wavegrid/base/error.hpp>
#include <wavegrid/fft/field_exchange.hpp>
#include <wavegrid/mpi/process_groups.hpp>

#include "grid_setup.hpp"

namespace wavegrid::test_process_groups {
namespace {

const Int3 grid{7, 8, 9};

/// All numbers of groups that fit the world.
std::vector<GroupCounts> divisions() {
  std::vector<GroupCounts> all;
  const int size = Comm::world().size();
  for (int k = 1; k <= size; ++k)
    for (int b = 1; b <= size / k; ++b) all.push_back({k, b});
  return all;
}

TEST(ProcessGroups, GroupsAreBlocksOfRanksThatCoverTheWorld) {
  const Comm world = Comm::world();
  for (const GroupCounts& counts : divisions()) {
    const ProcessGroups levels(world, counts);
    EXPECT_GE(levels.kpoint_group().size(), world.size() / counts.kpoint_groups);
    EXPECT_LE(levels.kpoint_group().size(), (world.size() + counts.kpoint_groups - 1) / counts.kpoint_groups);
    EXPECT_LE(levels.my_kpoint_group(), counts.kpoint_groups - 1);
    EXPECT_LE(levels.my_band_group(), counts.band_groups - 1);
    // Every group has exactly one first rank.
    EXPECT_EQ(world.sum(levels.kpoint_group().rank() == 0 ? 1 : 0), counts.kpoint_groups);
    EXPECT_EQ(world.sum(levels.band_group().rank() == 0 ? 1 : 0), counts.kpoint_groups * counts.band_groups);
    EXPECT_EQ(levels.kpoint_group().sum(1), levels.kpoint_group().size());
  }
}

TEST(ProcessGroups, NumbersThatDoNotFitAreRefused) {
  const int size = Comm::world().size();
  EXPECT_THROW(ProcessGroups(Comm::world(), {size + 1, 1}), Error);
  EXPECT_THROW(ProcessGroups(Comm::world(), {1, size + 1}), Error);
  EXPECT_THROW(ProcessGroups(Comm::world(), {0, 1}), Error);
}

double label(int x, int y, int z) { return 1 + z + 10 * y + 100 * x; }

TEST(FieldExchange, EveryGroupGetsTheWholeFieldAndReturnsTheSum) {
  for (const GroupCounts& counts : divisions()) {
    const ProcessGroups levels(Comm::world(), counts);
    for (const Scheme scheme : {Scheme::greedy, Scheme::cyclic}) {
      const GridSetup whole(Scheme::greedy, skewed, grid);
      const GridSetup part(scheme, skewed, grid, levels.band_group());
      FieldExchange fields(Comm::world(), grid_indices(whole.layout), grid_indices(part.layout), Transport::pairwise);
      EXPECT_EQ(fields.to_groups(whole.field(label)), part.field(label));
      const int group = levels.my_kpoint_group() * counts.band_groups + levels.my_band_group();
      const std::vector<double> sum =
          fields.sum_over_groups(part.field([&](int x, int y, int z) { return (group + 1) * label(x, y, z); }));
      const int groups = counts.kpoint_groups * counts.band_groups;
      EXPECT_EQ(sum, whole.field([&](int x, int y, int z) { return groups * (groups + 1) / 2 * label(x, y, z); }));
    }
  }
}

TEST(FieldExchange, AGatheredFieldIsZeroWhereNoRankHasAValue) {
  const Comm world = Comm::world();
  const double first = 3.0 * world.rank();
  const Range mine{3 * world.rank(), 3 * world.rank() + 2};
  const std::vector<double> all = gather_field(world, {mine}, Index{3} * world.size(), {first + 1, first + 2});
  ASSERT_EQ(all.size(), world.rank() == 0 ? 3u * static_cast<unsigned>(world.size()) : 0u);
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], i % 3 == 2 ? 0.0 : static_cast<double>(i + 1));
}

TEST(FieldExchange, AWholeFieldIsGatheredOnTheFirstRank) {
  const GridSetup setup(Scheme::balanced, skewed, grid);
  const std::vector<double> all = gather_field(Comm::world(), setup.layout, setup.field(label));
  if (Comm::world().rank() != 0) {
    EXPECT_TRUE(all.empty());
    return;
  }
  ASSERT_EQ(all.size(), 7u * 8u * 9u);
  std::size_t i = 0;
  for (int x = 0; x < 7; ++x)
    for (int y = 0; y < 8; ++y)
      for (int z = 0; z < 9; ++z) EXPECT_EQ(all[i++], label(x, y, z));
}

}  // namespace
}  // namespace wavegrid::test_process_groups
