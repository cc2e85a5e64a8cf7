// The common points of two boxes against a comparison of all their points.
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include <wavegrid/orbitals/common_points.hpp>

namespace wavegrid::test_common_points {
namespace {

/// The grid index of each value of a box.
std::vector<Index> points_of(const Box& box, const Int3& grid) {
  std::vector<Index> points(static_cast<std::size_t>(box.points()));
  for_rows(box, grid, [&](Index first, Index value, Index length) {
    for (Index i = 0; i < length; ++i) points[static_cast<std::size_t>(value + i)] = first + i;
  });
  return points;
}

using Pairs = std::vector<std::pair<Index, Index>>;

Pairs expected(const Box& a, const Box& b, const Int3& grid) {
  const std::vector<Index> of_a = points_of(a, grid), of_b = points_of(b, grid);
  Pairs pairs;
  for (std::size_t i = 0; i < of_a.size(); ++i)
    for (std::size_t j = 0; j < of_b.size(); ++j)
      if (of_a[i] == of_b[j]) pairs.emplace_back(i, j);
  return pairs;
}

Pairs found(const Box& a, const Box& b, const Int3& grid) {
  Pairs pairs;
  for (const CommonRun& run : common_points(a, b, grid))
    for (Index i = 0; i < run.length; ++i) pairs.emplace_back(run.a + i, run.b + i);
  return pairs;
}

TEST(CommonPoints, AreThoseOfAComparisonOfAllPoints) {
  const Int3 grid{7, 8, 9};
  const std::vector<Box> boxes{{{0, 0, 0}, {7, 8, 9}},  {{-2, 3, 7}, {4, 5, 6}}, {{5, -1, -3}, {3, 8, 5}},
                               {{1, 1, 1}, {2, 2, 2}},  {{6, 6, 8}, {6, 4, 8}},  {{3, 0, 4}, {1, 8, 1}},
                               {{-9, 17, 0}, {5, 3, 9}}};
  for (const Box& a : boxes)
    for (const Box& b : boxes) {
      EXPECT_EQ(found(a, b, grid), expected(a, b, grid));
      EXPECT_EQ(num_common_points(a, b, grid), std::ssize(expected(a, b, grid)));
    }
}

TEST(CommonPoints, OfPartsAreThoseThatCountAndNeighboursInBothBoxes) {
  const Int3 grid{7, 8, 30};
  const Box a{{0, 0, -4}, {4, 3, 22}}, b{{2, 1, 5}, {4, 4, 24}};
  std::vector<RowPart> of_a, of_b;
  for (int row = 0; row < 12; ++row) of_a.push_back({row, row + 11});
  for (int row = 0; row < 16; ++row) of_b.push_back(row % 3 == 0 ? RowPart{} : RowPart{2, 12 - row % 5});
  const Pairs all = expected(a, b, grid);
  Pairs counted, pairs;
  for (const auto& [i, j] : all) {
    const RowPart &in_a = of_a[static_cast<std::size_t>(i / 22)], &in_b = of_b[static_cast<std::size_t>(j / 24)];
    if (i % 22 >= in_a.first && i % 22 < in_a.last && j % 24 >= in_b.first && j % 24 < in_b.last)
      counted.emplace_back(i, j);
  }
  for (const CommonRun& run : common_points(BoxPart{a, of_a}, BoxPart{b, of_b}, grid))
    for (Index i = 0; i < run.length; ++i) pairs.emplace_back(run.a + i, run.b + i);
  EXPECT_FALSE(counted.empty());
  EXPECT_LT(pairs.size(), all.size());
  EXPECT_TRUE(std::includes(pairs.begin(), pairs.end(), counted.begin(), counted.end()));
  EXPECT_TRUE(std::includes(all.begin(), all.end(), pairs.begin(), pairs.end()));
}

}  // namespace
}  // namespace wavegrid::test_common_points
