// The table of settings compared with groups that are known, and every setting closed under products.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include <wavegrid/base/error.hpp>
#include <wavegrid/crystal/space_group_settings.hpp>

namespace wavegrid::test_space_group_settings {
namespace {

bool equal(const SymmetryOperation& a, const SymmetryOperation& b) {
  if (a.rotation != b.rotation) return false;
  for (std::size_t d = 0; d < 3; ++d) {
    const double apart = a.translation[d] - b.translation[d];
    if (std::abs(apart - std::round(apart)) > 1e-6) return false;
  }
  return true;
}

bool holds(const std::vector<SymmetryOperation>& operations, const SymmetryOperation& wanted) {
  for (const SymmetryOperation& operation : operations)
    if (equal(operation, wanted)) return true;
  return false;
}

TEST(SpaceGroupSettings, AreOrderedByNumberAndClosed) {
  const std::vector<SpaceGroupSetting> settings = space_group_settings();
  ASSERT_EQ(settings.size(), 530U);
  EXPECT_EQ(settings.front().number, 1);
  EXPECT_EQ(settings.back().number, 230);
  for (std::size_t s = 0; s < settings.size(); s += 7) {
    EXPECT_GE(settings[s].number, settings[s < 7 ? 0 : s - 7].number);
    const std::vector<SymmetryOperation> operations = operations_in_setting(static_cast<int>(s));
    for (const SymmetryOperation& first : operations)
      for (std::size_t o = 0; o < operations.size(); o += 5)
        EXPECT_TRUE(holds(operations, product(first, operations[o]))) << settings[s].hall;
  }
}

TEST(SpaceGroupSettings, HaveTheirOwnSymbols) {
  const std::vector<SpaceGroupSetting> settings = space_group_settings();
  EXPECT_EQ(settings[81].symbol, "P 1 2_1/n 1");
  EXPECT_EQ(settings[81].choice, "b2");
  EXPECT_EQ(settings[293].symbol, "P b n m");
  EXPECT_EQ(settings[293].full, "P 2_1/b 2_1/n 2_1/m");
  EXPECT_EQ(settings[525].hall, "-F 4vw 2vw 3");
  EXPECT_EQ(settings[458].choice, "R");
  EXPECT_EQ(operations_in_setting(458).size(), 12U);
  EXPECT_EQ(operations_in_setting(525).size(), 192U);
  // P 1 2_1/n 1: 1/2 - x, 1/2 + y, 1/2 - z
  EXPECT_TRUE(holds(operations_in_setting(81), {{{{-1, 0, 0}, {0, 1, 0}, {0, 0, -1}}}, {0.5, 0.5, 0.5}}));
}

TEST(SpaceGroupSettings, IndicesOutOfRangeAreRefused) {
  EXPECT_THROW(static_cast<void>(operations_in_setting(-1)), Error);
  EXPECT_THROW(static_cast<void>(operations_in_setting(530)), Error);
}

}  // namespace
}  // namespace wavegrid::test_space_group_settings
