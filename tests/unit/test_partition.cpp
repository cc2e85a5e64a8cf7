// Partitions of the sphere: the published load statistics, ownership, shapes and degenerate sizes.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <wavegrid/base/error.hpp>
#include <wavegrid/layout/block_layout.hpp>
#include <wavegrid/layout/check_partition.hpp>
#include <wavegrid/layout/partition.hpp>
#include <wavegrid/layout/wave_blocks.hpp>

#include "spheres.hpp"

namespace wavegrid::test_partition {
namespace {

constexpr Scheme schemes[] = {Scheme::greedy, Scheme::cyclic, Scheme::balanced, Scheme::optimized};

/// [max, min] plane waves on a single rank.
struct Published {
  int ranks;
  Scheme scheme;
  Index max, min;
};

// Gao et al., Comput. Phys. Commun. 2016, Tables 3 and 4, as in tests/reference/gao2016.json.
const Published al108[] = {
    {8, Scheme::greedy, 956, 946},  {8, Scheme::cyclic, 1058, 848},  {8, Scheme::balanced, 1018, 890},
    {16, Scheme::greedy, 483, 473}, {16, Scheme::cyclic, 534, 422},  {16, Scheme::balanced, 520, 442},
    {24, Scheme::greedy, 321, 312}, {24, Scheme::cyclic, 391, 254},  {24, Scheme::balanced, 361, 290},
    {36, Scheme::greedy, 215, 206}, {36, Scheme::cyclic, 269, 168},  {36, Scheme::balanced, 242, 179},
    {48, Scheme::cyclic, 210, 101}, {48, Scheme::balanced, 188, 122}};
const Published al500[] = {
    {16, Scheme::greedy, 2209, 2190}, {16, Scheme::cyclic, 2327, 2068}, {16, Scheme::balanced, 2261, 2130},
    {24, Scheme::greedy, 1469, 1461}, {24, Scheme::cyclic, 1647, 1294}, {24, Scheme::balanced, 1549, 1398},
    {36, Scheme::greedy, 982, 972},   {36, Scheme::cyclic, 1210, 814},  {36, Scheme::balanced, 1016, 952},
    {64, Scheme::greedy, 554, 544},   {64, Scheme::cyclic, 641, 454},   {64, Scheme::balanced, 643, 492},
    {96, Scheme::cyclic, 468, 252},   {96, Scheme::balanced, 447, 307}, {128, Scheme::cyclic, 412, 167},
    {128, Scheme::balanced, 388, 236}};

template <std::size_t N>
void expect_published(const GSphere& sphere, const Published (&table)[N], Index plane_waves) {
  for (const Published& p : table) {
    SCOPED_TRACE(std::to_string(p.ranks) + " ranks, scheme " + std::to_string(static_cast<int>(p.scheme)));
    const Partition partition = make_partition(p.scheme, sphere.counts(), sphere.grid()[0], p.ranks);
    const LoadStatistics load = load_statistics(partition, sphere.counts());
    EXPECT_EQ(load.max, p.max);
    EXPECT_EQ(load.min, p.min);
    EXPECT_EQ(load.plane_waves, plane_waves);
    EXPECT_DOUBLE_EQ(load.mean, static_cast<double>(plane_waves) / p.ranks);
    EXPECT_DOUBLE_EQ(load.imbalance, static_cast<double>(p.max) * p.ranks / static_cast<double>(plane_waves));
  }
}

TEST(Partition, ReproducesThePublishedFiguresOfAl108) { expect_published(aluminium(3, 48), al108, 7602); }
TEST(Partition, ReproducesThePublishedFiguresOfAl500) { expect_published(aluminium(5, 80), al500, 35160); }

TEST(Partition, EveryPartitionFitsItsSphere) {
  const GSphere sphere = aluminium(2, 32);
  const StickCounts& counts = sphere.counts();
  for (const int parts : {1, 2, 6, 35, 400}) {
    for (const Scheme scheme : schemes)
      check_partition(make_partition(scheme, counts, sphere.grid()[0], parts), counts);
    check_partition(WaveBlocks(counts).partition(counts, parts), counts);
  }
}

TEST(Partition, OneOfOtherOriginIsChecked) {
  const GSphere sphere = aluminium(2, 32);
  const Partition good = make_partition(Scheme::greedy, sphere.counts(), sphere.grid()[0], 6);
  const auto expect_refused = [&](auto change) {
    Partition partition(good);
    change(partition);
    EXPECT_THROW(check_partition(partition, sphere.counts()), Error);
  };
  expect_refused([](Partition& p) { p.stick_owner[33] = -1; });
  expect_refused([](Partition& p) { p.stick_owner[33] = 6; });
  expect_refused([](Partition& p) { p.stick_owner.push_back(0); });
  expect_refused([](Partition& p) { p.plane_row = {}; });
  expect_refused([](Partition& p) { p.plane_row[1] = -1; });
  expect_refused([](Partition& p) { p.plane_row[1] = 1; });
  expect_refused([](Partition& p) { p.shape.columns = 7; });
}

TEST(Partition, NearSquareShapes) {
  EXPECT_EQ(near_square_shape(1), (GridShape{1, 1}));
  EXPECT_EQ(near_square_shape(6), (GridShape{3, 2}));
  EXPECT_EQ(near_square_shape(8), (GridShape{4, 2}));
  EXPECT_EQ(near_square_shape(24), (GridShape{6, 4}));
  EXPECT_EQ(near_square_shape(36), (GridShape{6, 6}));
  EXPECT_EQ(near_square_shape(128), (GridShape{16, 8}));
  for (const int prime : {2, 3, 5, 7, 11, 97, 997}) EXPECT_EQ(near_square_shape(prime), (GridShape{prime, 1}));
  for (int parts = 1; parts <= 200; ++parts) {
    const GridShape shape = near_square_shape(parts);
    EXPECT_EQ(shape.rows * shape.columns, parts);
    EXPECT_GE(shape.rows, shape.columns);
    for (int columns = shape.columns + 1; columns * columns <= parts; ++columns)
      EXPECT_NE(parts % columns, 0) << parts << " is nearer to a square with " << columns << " columns";
  }
}

TEST(Partition, PlaneShapesWithMoreRanksThanPlanes) {
  EXPECT_EQ(plane_shape(1, 1), (GridShape{1, 1}));
  EXPECT_EQ(plane_shape(7, 48), (GridShape{1, 7}));
  EXPECT_EQ(plane_shape(48, 48), (GridShape{1, 48}));
  EXPECT_EQ(plane_shape(96, 48), (GridShape{2, 48}));
  EXPECT_EQ(plane_shape(7, 3), (GridShape{3, 2}));  // one rank holds no planes
  EXPECT_EQ(plane_shape(5, 1), (GridShape{5, 1}));
  for (int parts = 1; parts <= 60; ++parts)
    for (int planes = 1; planes <= 20; ++planes) {
      const GridShape shape = plane_shape(parts, planes);
      EXPECT_LE(shape.columns, planes);
      EXPECT_LE(shape.rows * shape.columns, parts);
      EXPECT_GT((shape.rows + 1) * shape.columns + shape.rows, parts) << "many ranks idle";
      if (parts <= planes) {
        EXPECT_EQ(shape, (GridShape{1, parts}));
      }
    }
}

/// Uneven counts on 7 x 9 sticks, some of them empty, one plane of iz empty altogether.
StickCounts uneven_counts() {
  StickCounts counts(7, 9);
  for (int iz = 0; iz < 9; ++iz)
    for (int iy = 0; iy < 7; ++iy) counts.at(iy, iz) = iz == 4 || iy == 3 ? 0 : (5 * iy + 3 * iz) % 8;
  return counts;
}

TEST(Partition, EveryPopulatedStickHasOneOwnerInTheRowOfItsPlane) {
  const StickCounts counts = uneven_counts();
  for (const Scheme scheme : schemes)
    for (const int parts : {1, 2, 3, 4, 5, 6, 7, 12, 36, 61, 100}) {
      SCOPED_TRACE("scheme " + std::to_string(static_cast<int>(scheme)) + " parts " + std::to_string(parts));
      const Partition partition = make_partition(scheme, counts, 8, parts);
      EXPECT_EQ(partition.parts, parts);
      EXPECT_EQ(partition.rows_are_closed(), scheme != Scheme::greedy);
      ASSERT_EQ(partition.stick_owner.size(), counts.count.size());
      ASSERT_EQ(partition.plane_row.size(), 9u);
      EXPECT_EQ(partition.plane_row[4], -1);
      std::vector<int> owners(counts.count.size());
      for (int part = 0; part < parts; ++part) {
        int last = -1;
        for (const int stick : part_sticks(partition, part)) {
          EXPECT_GT(stick, last);
          last = stick;
          ++owners[static_cast<std::size_t>(stick)];
        }
      }
      for (int stick = 0; stick < counts.num_sticks(); ++stick) {
        const auto s = static_cast<std::size_t>(stick);
        EXPECT_EQ(owners[s], counts.count[s] > 0 ? 1 : 0) << "stick " << stick;
        if (counts.count[s] == 0) {
          EXPECT_EQ(partition.stick_owner[s], -1);
          continue;
        }
        const int row = partition.plane_row[s / 7];
        EXPECT_GE(row, 0);
        EXPECT_LT(row, partition.shape.rows);
        EXPECT_LT(partition.stick_owner[s], parts);
        if (partition.rows_are_closed()) {
          EXPECT_EQ(partition.stick_owner[s] / partition.shape.columns, row);
        }
      }
      Index total = 0;
      for (const Index load : loads(partition, counts)) total += load;
      EXPECT_EQ(total, counts.total());
    }
}

TEST(Partition, CyclicDistributesPlanesByTheirIndex) {
  const StickCounts counts = uneven_counts();
  const Partition partition = make_partition(Scheme::cyclic, counts, 8, 6);
  ASSERT_EQ(partition.shape, (GridShape{3, 2}));
  for (int iz = 0; iz < 9; ++iz)
    for (int iy = 0; iy < 7; ++iy)
      if (counts.at(iy, iz) > 0) {
        EXPECT_EQ(partition.stick_owner[static_cast<std::size_t>(iz * 7 + iy)], iz % 3 * 2 + iy % 2);
      }
}

TEST(Partition, GreedyDistributesSticksInSerpentineOrder) {
  StickCounts counts(4, 2);
  counts.count = {3, 9, 0, 9, 5, 1, 7, 3};  // falling: 1 3 6 4 0 7 5 (ties by rising address)
  const Partition partition = make_partition(Scheme::greedy, counts, 8, 3);
  EXPECT_EQ(partition.stick_owner, (std::vector<int>{1, 0, -1, 1, 2, 0, 2, 0}));
  EXPECT_EQ(loads(partition, counts), (std::vector<Index>{13, 12, 12}));
}

TEST(Partition, BalancedDistributesPlanesInSerpentineOrder) {
  StickCounts counts(3, 4);  // planes of iz have 3 8 8 1 plane waves, planes of iy 9 2 9
  counts.count = {1, 1, 1, 5, 0, 3, 3, 1, 4, 0, 0, 1};
  const Partition partition = make_partition(Scheme::balanced, counts, 8, 4);
  ASSERT_EQ(partition.shape, (GridShape{2, 2}));
  EXPECT_EQ(partition.plane_row, (std::vector<int>{1, 0, 1, 0}));
  // columns of iy: 0 -> 0, 2 -> 1, 1 -> 1
  EXPECT_EQ(partition.stick_owner, (std::vector<int>{2, 3, 3, 0, -1, 1, 2, 3, 3, -1, -1, 1}));
}

TEST(Partition, MoreRanksThanSticksLeavesSomeEmpty) {
  StickCounts counts(3, 3);
  counts.at(0, 0) = 5;
  counts.at(1, 0) = counts.at(2, 0) = counts.at(0, 1) = counts.at(0, 2) = 2;
  for (const Scheme scheme : schemes)
    for (const int parts : {6, 7, 30}) {
      const Partition partition = make_partition(scheme, counts, 4, parts);
      const std::vector<Index> load = loads(partition, counts);
      ASSERT_EQ(static_cast<int>(load.size()), parts);
      const LoadStatistics statistics = load_statistics(partition, counts);
      EXPECT_EQ(statistics.min, 0);
      EXPECT_GE(statistics.max, 5);
      EXPECT_EQ(statistics.plane_waves, 13);
      EXPECT_DOUBLE_EQ(statistics.mean, 13.0 / parts);
    }
}

TEST(Partition, AnEmptySphereHasAPartitionForAnyNumber) {
  const StickCounts counts(5, 4);
  for (const Scheme scheme : schemes) {
    const Partition partition = make_partition(scheme, counts, 3, 7);
    const LoadStatistics statistics = load_statistics(partition, counts);
    EXPECT_EQ(statistics.plane_waves, 0);
    EXPECT_EQ(statistics.max, 0);
    EXPECT_EQ(statistics.min, 0);
    EXPECT_EQ(statistics.imbalance, 1.0);
    EXPECT_TRUE(part_sticks(partition, 0).empty());
  }
}

TEST(Partition, RefusesNoRanks) {
  const StickCounts counts = uneven_counts();
  for (const Scheme scheme : schemes)
    for (const int parts : {0, -1, -7}) try {
        (void)make_partition(scheme, counts, 8, parts);
        ADD_FAILURE() << parts << " ranks were accepted";
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::bad_input);
        EXPECT_NE(std::string(error.what()).find(std::to_string(parts)), std::string::npos) << error.what();
      }
}

TEST(Partition, AcceptsAGivenProcessGrid) {
  const StickCounts counts = uneven_counts();
  for (const Scheme scheme : {Scheme::cyclic, Scheme::balanced, Scheme::optimized})
    for (const GridShape shape : {GridShape{1, 6}, GridShape{2, 3}, GridShape{3, 2}, GridShape{6, 1}}) {
      const Partition partition = make_partition(scheme, counts, shape, 6);
      EXPECT_EQ(partition.shape, shape);
      EXPECT_EQ(partition.scheme, scheme);
      EXPECT_EQ(load_statistics(partition, counts).plane_waves, counts.total());
    }
  const Partition greedy = make_partition(Scheme::greedy, counts, {3, 2}, 7);  // one rank holds sticks alone
  EXPECT_EQ(greedy.stick_owner, make_partition(Scheme::greedy, counts, 3, 7).stick_owner);
  EXPECT_EQ(greedy.plane_row, make_partition(Scheme::greedy, counts, 3, 7).plane_row);
}

TEST(Partition, RefusesAProcessGridThatDoesNotFit) {
  const StickCounts counts = uneven_counts();
  for (const Scheme scheme : schemes)
    for (const GridShape shape : {GridShape{4, 2}, GridShape{0, 7}, GridShape{-1, -7}, GridShape{7, 0}})
      EXPECT_THROW((void)make_partition(scheme, counts, shape, 7), Error) << shape.rows << " x " << shape.columns;
  EXPECT_THROW((void)make_partition(Scheme::optimized, counts, GridShape{3, 2}, 7), Error);
  EXPECT_THROW((void)make_partition(Scheme::balanced, counts, GridShape{100000, 100000}, 7), Error);
}

TEST(Partition, IsDeterministic) {
  const GSphere sphere = aluminium(3, 48);
  for (const Scheme scheme : schemes) {
    const Partition once = make_partition(scheme, sphere.counts(), 48, 35);
    const Partition again = make_partition(scheme, aluminium(3, 48).counts(), 48, 35);
    EXPECT_EQ(once.stick_owner, again.stick_owner);
    EXPECT_EQ(once.plane_row, again.plane_row);
  }
}

TEST(BlockLayout, CoversAllIndicesOnceWithTheLongBlocksFirst) {
  for (const Index n : {0, 1, 7, 8, 9, 100})
    for (const int parts : {1, 2, 3, 7, 11, 101}) {
      const BlockLayout layout(n, parts);
      Index next = 0;
      for (int part = 0; part < parts; ++part) {
        const Range range = layout.range(part);
        EXPECT_EQ(range.begin, next);
        EXPECT_EQ(range.size(), n / parts + (part < n % parts ? 1 : 0));
        next = range.end;
      }
      EXPECT_EQ(next, n);
    }
  EXPECT_EQ(BlockLayout(7, 3).range(0), (Range{0, 3}));
  EXPECT_EQ(BlockLayout(7, 3).range(2), (Range{5, 7}));
  EXPECT_TRUE(BlockLayout(2, 5).range(4).empty());
}

}  // namespace
}  // namespace wavegrid::test_partition
