// The longest wave of charge in a crystal, a slab and a molecule.
#include <gtest/gtest.h>

#include <wavegrid/base/units.hpp>
#include <wavegrid/crystal/extent.hpp>

namespace wavegrid::test_extent {
namespace {

using units::pi;

TEST(SmallestWaveNumber, IsThatOfTheCellInACrystal) {
  const Crystal long_cell{Lattice({{{5, 0, 0}, {0, 6, 0}, {0, 0, 40}}}),
                          {"Al"},
                          {{0, {0, 0, 0}}, {0, {0, 0, 0.25}}, {0, {0, 0, 0.5}}, {0, {0, 0, -0.25}}}};
  EXPECT_DOUBLE_EQ(smallest_wave_number({Lattice({{{5, 0, 0}, {0, 6, 0}, {0, 0, 7}}}), {"Al"}, {{0, {0.3, 0, 0}}}}),
                   2 * pi / 7);
  // a gap of 10 bohr counts as vacuum: the atoms have 30 bohr, their tails 4
  EXPECT_DOUBLE_EQ(smallest_wave_number(long_cell), pi / 34);
}

TEST(SmallestWaveNumber, IsThatOfTheAtomsWithVacuum) {
  const Lattice box({{{20, 0, 0}, {0, 20, 0}, {0, 0, 20}}});
  EXPECT_DOUBLE_EQ(smallest_wave_number({box, {"O"}, {{0, {0.95, 0.5, 0.5}}, {0, {0.05, 0.5, 0.5}}}}), pi / 6);
  const Lattice oblique({{{5, 0, 0}, {2.5, 4, 0}, {3, 0, 30}}});
  EXPECT_NEAR(smallest_wave_number({oblique, {"C"}, {{0, {0, 0, 0}}}}), pi / 4, 1e-12);
}

}  // namespace
}  // namespace wavegrid::test_extent
