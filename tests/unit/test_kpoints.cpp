// Meshes of k-points and their irreducible parts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <wavegrid/base/error.hpp>
#include <wavegrid/crystal/find_space_group.hpp>
#include <wavegrid/crystal/irreducible_kpoints.hpp>
#include <wavegrid/wavefunctions/wave_map.hpp>

#include "crystals.hpp"

namespace wavegrid::test_kpoints {
namespace {

using namespace test_data;

constexpr Vec3 half{0.5, 0.5, 0.5};

TEST(KPoints, MeshIsFoldedAndHasEqualWeights) {
  const std::vector<KPoint> all = monkhorst_pack({{4, 3, 2}, {0, 0, 0.5}});
  ASSERT_EQ(all.size(), 24U);
  EXPECT_EQ(all[0].k, (Vec3{0, 0, 0.25}));
  EXPECT_EQ(all[1].k, (Vec3{0, 0, -0.25}));
  EXPECT_EQ(all[2].k, (Vec3{0, 1. / 3, 0.25}));
  EXPECT_EQ(all[4].k, (Vec3{0, -1. / 3, 0.25}));
  EXPECT_EQ(all[12].k, (Vec3{0.5, 0, 0.25}));  // 1/2, never -1/2
  EXPECT_EQ(all[18].k, (Vec3{-0.25, 0, 0.25}));
  for (const KPoint& point : all) EXPECT_DOUBLE_EQ(point.weight, 1. / 24);
}

TEST(KPoints, ShiftsOfWholeStepsMakeTheSameMesh) {
  const RationalMesh plain({{4, 3, 5}, {0, 1. / 3, 0.1}}), moved({{4, 3, 5}, {-7, 3 + 1. / 3, -0.9}});
  EXPECT_EQ(plain.denominator(), moved.denominator());
  for (Index n = 0; n < plain.size(); ++n) {
    EXPECT_EQ(plain.find(plain.point(n)), n);
    EXPECT_GE(moved.find(plain.point(n)), 0);
  }
  EXPECT_EQ(plain.find({1, 1, 1}), -1);
}

std::string message_of(const KMesh& mesh) {
  try {
    (void)monkhorst_pack(mesh);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    return error.what();
  }
  return "no error";
}

TEST(KPoints, InvalidMeshesAreNamed) {
  EXPECT_THAT(message_of({{4, 0, 4}, {}}),
              ::testing::HasSubstr("0 points along reciprocal vector 2; valid: 1 to 1000"));
  EXPECT_THAT(message_of({{4, 4, -2}, {}}), ::testing::HasSubstr("-2 points along reciprocal vector 3"));
  EXPECT_THAT(message_of({{4, 4, 4}, {0, std::sqrt(0.5), 0}}), ::testing::HasSubstr("shifted by 0.7071067811865"));
  EXPECT_THAT(message_of({{4, 4, 4}, {0, 0, NAN}}), ::testing::HasSubstr("reciprocal vector 3"));
}

struct Counted {
  std::string name;
  Crystal crystal;
  KMesh mesh;
  std::size_t irreducible;
  int rotations;  // that map the mesh onto itself
};

/// Known counts of cubic and hexagonal meshes; the 2 and 10 special points of fcc by Monkhorst and Pack, whose mesh
/// along primitive vectors has one threefold axis only; the others by hand: in triclinic cells only k and -k are
/// equivalent; the odd shift leaves permutations of three indices below 3.
std::vector<Counted> counted_meshes() {
  return {
      {"fcc", fcc_primitive(), {{4, 4, 4}, {}}, 8, 48},
      {"fcc, Gamma alone", fcc_primitive(), {{1, 1, 1}, {}}, 1, 48},
      {"fcc, 2 special points", fcc_primitive(), {{2, 2, 2}, half}, 2, 12},
      {"fcc, 10 special points", fcc_primitive(), {{4, 4, 4}, half}, 10, 12},
      {"fcc, 8 x 8 x 8", fcc_primitive(), {{8, 8, 8}, {}}, 29, 48},
      {"fcc, four atoms", fcc_conventional(), {{4, 4, 4}, {}}, 10, 48},
      {"fcc, four atoms, shifted", fcc_conventional(), {{4, 4, 4}, half}, 4, 48},
      {"fcc, four atoms, flat mesh", fcc_conventional(), {{4, 4, 2}, {}}, 12, 16},
      {"diamond", diamond_primitive(), {{4, 4, 4}, {}}, 8, 48},
      {"diamond, eight atoms", diamond_conventional(), {{3, 3, 3}, {}}, 4, 48},
      {"graphene", graphene(), {{6, 6, 1}, {}}, 7, 24},
      {"graphene, shifted", graphene(), {{6, 6, 1}, {0.5, 0.5, 0}}, 12, 8},
      {"hcp", hcp(), {{3, 3, 2}, {}}, 6, 24},
      {"triclinic", triclinic(), {{4, 4, 4}, {}}, 36, 1},
      {"triclinic, shifted", triclinic(), {{4, 4, 4}, half}, 32, 1},
      {"triclinic, odd shift", triclinic(), {{3, 2, 1}, {0.3, 0, 0}}, 6, 1},
      {"fcc, odd shift", fcc_primitive(), {{3, 3, 3}, {0.25, 0.25, 0.25}}, 10, 12},
      {"fcc, oblong mesh", fcc_primitive(), {{4, 2, 3}, {}}, 14, 2},
  };
}

TEST(KPoints, NumbersOfIrreduciblePointsAreThoseKnown) {
  for (const Counted& known : counted_meshes()) {
    SCOPED_TRACE(known.name);
    const IrreducibleKPoints result = irreducible(known.mesh, find_space_group(known.crystal), true);
    EXPECT_EQ(result.kpoints.size(), known.irreducible) << result.sentence;
    EXPECT_EQ(result.group.num_rotations(), known.rotations) << result.sentence;
  }
}

/// A function with the symmetry of the group, and with time reversal.
double symmetric_function(const SpaceGroup& group, const Vec3& k) {
  double sum = 0;
  for (int r = 0; r < group.num_rotations(); ++r) {
    const Vec3 turned = on_reciprocal(group.rotation_operation(r).rotation, k);
    for (const Vec3& cell : {Vec3{1, 0, 0}, Vec3{1, 2, 0}, Vec3{-1, 2, 1}, Vec3{3, 1, -4}})
      sum += std::cos(2 * std::numbers::pi * dot(turned, cell)) / (1 + norm2(cell));
  }
  return sum;
}

bool are_equivalent(const SpaceGroup& group, bool time_reversal, const Vec3& a, const Vec3& b) {
  for (const SymmetryOperation& operation : group.operations())
    for (const bool reversed : {false, true})
      if ((time_reversal || !reversed) && map_between(a, b, operation, reversed)) return true;
  return false;
}

void expect_exact(const KMesh& mesh, const SpaceGroup& group, bool time_reversal) {
  const IrreducibleKPoints result = irreducible(mesh, group, time_reversal);
  const std::vector<KPoint> all = monkhorst_pack(mesh);
  double weights = 0, sum = 0, full_sum = 0;
  for (const KPoint& point : result.kpoints) {
    weights += point.weight;
    sum += point.weight * symmetric_function(result.group, point.k);
  }
  EXPECT_NEAR(weights, 1, 1e-12);
  for (const KPoint& point : all) {
    full_sum += point.weight * symmetric_function(result.group, point.k);
    // Every point of the mesh is in the star of one irreducible point.
    EXPECT_EQ(
        std::count_if(result.kpoints.begin(), result.kpoints.end(),
                      [&](const KPoint& one) { return are_equivalent(result.group, time_reversal, one.k, point.k); }),
        1);
  }
  EXPECT_NEAR(sum, full_sum, 1e-12);
}

TEST(KPoints, SumsOverIrreduciblePointsAreThoseOfTheMesh) {
  for (const Counted& known : counted_meshes()) {
    SCOPED_TRACE(known.name);
    for (const bool time_reversal : {false, true}) {
      expect_exact(known.mesh, find_space_group(known.crystal), time_reversal);
      expect_exact(known.mesh, SpaceGroup::identity(), time_reversal);
    }
  }
}

TEST(KPoints, IrreduciblePointsAreInequivalent) {
  const SpaceGroup group = find_space_group(hcp());
  const IrreducibleKPoints result = irreducible({{6, 6, 4}, {0, 0, 0.5}}, group, true);
  for (std::size_t a = 0; a < result.kpoints.size(); ++a)
    for (std::size_t b = a + 1; b < result.kpoints.size(); ++b)
      EXPECT_FALSE(are_equivalent(group, true, result.kpoints[a].k, result.kpoints[b].k));
}

/// Lists that are a whole mesh have all equivalent points; irreducible points, and points with other weights, do not.
TEST(KPoints, ListsKnowWhetherTheyHaveWholeStars) {
  const SpaceGroup group = find_space_group(diamond_primitive());
  std::vector<KPoint> all = monkhorst_pack({{4, 4, 4}, {}});
  EXPECT_TRUE(has_whole_stars(all, group));
  for (KPoint& point : all) point.k[1] += 2 - 1e-7;  // another cell of the reciprocal lattice, and rounded numbers
  EXPECT_TRUE(has_whole_stars(all, group));
  all.back().weight *= 0.9;
  EXPECT_FALSE(has_whole_stars(all, group));
  EXPECT_FALSE(has_whole_stars(irreducible({{4, 4, 4}, {}}, group, true).kpoints, group));
  EXPECT_FALSE(has_whole_stars({{{0.25, 0.25, 0.25}, 0.25}, {{0.25, 0.25, -0.25}, 0.75}}, group));
  EXPECT_TRUE(has_whole_stars({{{0, 0, 0}, 1.0}}, group));
  // Without symmetry a point alone stands for k and -k.
  EXPECT_TRUE(has_whole_stars(irreducible({{4, 3, 2}, {}}, SpaceGroup::identity(), true).kpoints, SpaceGroup()));
  EXPECT_FALSE(has_whole_stars(monkhorst_pack({{4, 4, 4}, half}), group));
}

TEST(KPoints, DescriptionNamesWhatWasLeftOut) {
  EXPECT_EQ(
      irreducible({{4, 4, 4}, half}, find_space_group(fcc_primitive()), true).sentence,
      "mesh of 4 x 4 x 4 shifted by (0.5, 0.5, 0.5): 64 k-points, 10 irreducible by 12 rotations and time reversal; 36 "
      "rotations of Fm-3m left out, which would not map the mesh onto itself");
  EXPECT_EQ(irreducible({{4, 4, 4}, {}}, find_space_group(fcc_primitive()), true).sentence,
            "mesh of 4 x 4 x 4: 64 k-points, 8 irreducible by 48 rotations and time reversal");
  EXPECT_EQ(irreducible({{4, 4, 2}, {}}, find_space_group(fcc_conventional()), false).sentence,
            "mesh of 4 x 4 x 2: 32 k-points, 12 irreducible by 16 rotations; 32 rotations of Fm-3m left out, which "
            "would not map the mesh onto itself");
}

}  // namespace
}  // namespace wavegrid::test_kpoints
