// Supercells and the closest pair of atoms, compared with brute force on skewed cells.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/random.hpp>
#include <wavegrid/crystal/crystal.hpp>

namespace wavegrid::test_crystal {
namespace {

Crystal fcc_aluminium(double a) {
  const Lattice lattice({{{a, 0, 0}, {0, a, 0}, {0, 0, a}}});
  return {lattice, {"Al"}, {{0, {0, 0, 0}}, {0, {0, 0.5, 0.5}}, {0, {0.5, 0, 0.5}}, {0, {0.5, 0.5, 0}}}};
}

Crystal random_crystal(const Mat3& vectors, int num_atoms, int seed) {
  Crystal crystal{Lattice(vectors), {"Al", "O"}, {}};
  for (int a = 0; a < num_atoms; ++a)  // positions from -2 to 2: outside the cell too
    crystal.atoms.push_back(
        {a % 2, {2 * random_at({seed, a, 0}), 2 * random_at({seed, a, 1}), 2 * random_at({seed, a, 2})}});
  return crystal;
}

/// The closest distance from all images up to `reach` cells from the folded difference.
double brute_force(const Crystal& crystal, int reach, std::span<const double> sizes = {}) {
  const auto size = [&](int atom) {
    return sizes.empty() ? 0.5 : sizes[static_cast<std::size_t>(crystal.atoms[static_cast<std::size_t>(atom)].species)];
  };
  double best = INFINITY;
  for (int i = 0; i < crystal.num_atoms(); ++i)
    for (int j = i; j < crystal.num_atoms(); ++j)
      for (int x = -reach; x <= reach; ++x)
        for (int y = -reach; y <= reach; ++y)
          for (int z = -reach; z <= reach; ++z) {
            if (i == j && x == 0 && y == 0 && z == 0) continue;
            Vec3 d = crystal.atoms[static_cast<std::size_t>(j)].position -
                     crystal.atoms[static_cast<std::size_t>(i)].position;
            for (double& c : d) c -= std::round(c);
            const double distance = norm(crystal.lattice.cartesian(d + Vec3{double(x), double(y), double(z)}));
            best = std::min(best, distance / (size(i) + size(j)));
          }
  return best;
}

std::string message_of(const Crystal& crystal, double min_bohr) {
  try {
    require_separated(crystal, min_bohr);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    return error.what();
  }
  return "";
}

TEST(Crystal, SupercellKeepsTheOrderAndTheGeometry) {
  const Crystal cell = fcc_aluminium(7.65);
  const Crystal big = supercell(cell, {2, 1, 3});
  ASSERT_EQ(big.num_atoms(), 24);
  EXPECT_NEAR(big.lattice.volume(), 6 * cell.lattice.volume(), 1e-9);
  for (int a = 0; a < 4; ++a) EXPECT_LT(norm(big.cartesian(a) - cell.cartesian(a)), 1e-12);
  EXPECT_LT(norm(big.cartesian(4) - Vec3{0, 0, 7.65}), 1e-12);   // third index fastest
  EXPECT_LT(norm(big.cartesian(12) - Vec3{7.65, 0, 0}), 1e-12);  // first slowest
  EXPECT_NEAR(closest_pair_within(big, 7.0)->distance, 7.65 / std::sqrt(2.0), 1e-12);
  EXPECT_THROW((void)supercell(cell, {1, 0, 1}), Error);
}

TEST(Crystal, AtomsOfASpecies) {
  const Crystal crystal = random_crystal({{{9, 0, 0}, {0, 9, 0}, {0, 0, 9}}}, 5, 1);
  EXPECT_EQ(crystal.species_atoms(1), (std::vector<int>{1, 3}));
  EXPECT_EQ(crystal.element(1), "O");
  EXPECT_EQ(crystal.num_species(), 2);
}

TEST(Crystal, ClosestPairMatchesBruteForceOnSkewedCells) {
  const Mat3 cells[] = {{{{8, 0, 0}, {0, 9, 0}, {0, 0, 7}}},
                        {{{8, 0, 0}, {7, 3, 0}, {-6, 2, 5}}},
                        {{{0, 4, 4}, {4, 0, 4}, {4, 4, 0}}},
                        {{{3, 0, 0}, {0.5, 40, 0}, {1, 1, 12}}},
                        {{{0, 5, 1}, {6, 0, 0}, {1, 0, 4}}}};  // the last is left-handed
  for (std::size_t c = 0; c < 5; ++c)
    for (const int num_atoms : {1, 2, 7, 20}) {
      const Crystal crystal = random_crystal(cells[c], num_atoms, static_cast<int>(c));
      const double expected = brute_force(crystal, 4);
      for (const double slack : {1.0001, 3.0, 1e6}) {
        const auto pair = closest_pair_within(crystal, slack * expected);
        ASSERT_TRUE(pair) << "cell " << c << " atoms " << num_atoms;
        EXPECT_NEAR(pair->distance, expected, 1e-10);
        const Vec3 shift{double(pair->image[0]), double(pair->image[1]), double(pair->image[2])};
        const Vec3 apart =
            crystal.cartesian(pair->second) + crystal.lattice.cartesian(shift) - crystal.cartesian(pair->first);
        EXPECT_NEAR(norm(apart), expected, 1e-10);
      }
      EXPECT_FALSE(closest_pair_within(crystal, 0.9999 * expected));
    }
}

TEST(Crystal, ClosestInRelationToSizesMatchesBruteForce) {
  const std::vector<double> sizes{0.4, 1.7};
  for (int seed = 0; seed < 5; ++seed) {
    Crystal crystal = random_crystal({{{8, 0, 0}, {7, 3, 0}, {-6, 2, 5}}}, 9, seed);
    crystal.species = {"H", "K"};
    for (std::size_t a = 0; a < crystal.atoms.size(); a += 3) crystal.atoms[a].species = 1;
    const double expected = brute_force(crystal, 4, sizes);
    const auto pair = closest_pair_within(crystal, 100.0, sizes);
    ASSERT_TRUE(pair);
    EXPECT_NEAR(pair->measure, expected, 1e-10) << seed;
    EXPECT_FALSE(closest_pair_within(crystal, 0.9999 * expected, sizes));
  }
  EXPECT_THROW((void)closest_pair_within(fcc_aluminium(7.65), 1.0, sizes), Error) << "one size too many";
}

TEST(Crystal, NamesTheTwoClosestAtoms) {
  Crystal crystal = fcc_aluminium(7.65);
  EXPECT_EQ(message_of(crystal, 1.0), "");
  crystal.species.emplace_back("O");
  crystal.atoms.push_back({1, {0.98, 0.5, 0.5}});  // across the boundary from atom 2
  crystal.atoms.push_back({1, {0.5, 0.1, 0.5}});   // 0.765 from atom 3, not the closest
  const std::string message = message_of(crystal, 1.0);
  EXPECT_NE(message.find("atoms 2 (Al) and 5 (O) are 0.1530 bohr (0.0810 angstrom) apart"), std::string::npos)
      << message;
  EXPECT_NE(message.find("1.0000 bohr"), std::string::npos) << message;
}

TEST(Crystal, CoincidingAtomsAndOwnImage) {
  Crystal crystal = fcc_aluminium(7.65);
  crystal.atoms[3].position = {1.0, -1.0, 2.0};  // atom 1, a few cells away
  EXPECT_NE(message_of(crystal, 0.5).find("atoms 1 (Al) and 4 (Al) are 0.0000 bohr"), std::string::npos);
  const Crystal thin{Lattice({{{10, 0, 0}, {9.7, 0.5, 0}, {0, 0, 10}}}), {"H"}, {{0, {0.3, 0.3, 0.3}}}};
  EXPECT_NE(message_of(thin, 1.0).find("atom 1 (H) and its own periodic image are 0.5831 bohr"), std::string::npos);
  EXPECT_EQ(message_of(thin, 0.58), "");
}

TEST(Crystal, TiesGoToTheLowestAtoms) {
  const auto pair = closest_pair_within(supercell(fcc_aluminium(7.65), {3, 3, 3}), 6.0);
  ASSERT_TRUE(pair);
  EXPECT_EQ(pair->first, 0);
  EXPECT_EQ(pair->second, 1);
}

TEST(Crystal, RefusesInvalidInput) {
  Crystal crystal = fcc_aluminium(7.65);
  EXPECT_THROW(require_separated(crystal, 0.0), Error);
  EXPECT_THROW(require_separated(crystal, NAN), Error);
  crystal.atoms[1].position[2] = NAN;
  EXPECT_THROW(require_valid(crystal), Error);
  crystal.atoms[1] = {1, {0, 0, 0}};
  EXPECT_THROW(require_valid(crystal), Error);
  crystal.atoms.clear();
  EXPECT_THROW(require_valid(crystal), Error);
  crystal = fcc_aluminium(7.65);
  crystal.species = {"Al", "Al"};
  EXPECT_THROW(require_valid(crystal), Error);
}

TEST(Crystal, LargeCellIsFast) {
  const Crystal crystal = supercell(fcc_aluminium(7.65), {8, 8, 8});  // 2048 atoms
  const auto start = std::chrono::steady_clock::now();
  require_separated(crystal, 1.0);
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), 1.0);
}

}  // namespace
}  // namespace wavegrid::test_crystal
