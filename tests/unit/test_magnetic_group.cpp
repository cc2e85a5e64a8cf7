// Magnetic space groups compared with those of spglib, and what they do to k-points.
#include <gtest/gtest.h>
#include <spglib.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <wavegrid/base/error.hpp>
#include <wavegrid/crystal/find_space_group.hpp>
#include <wavegrid/crystal/irreducible_kpoints.hpp>
#include <wavegrid/crystal/magnetic_group.hpp>
#include <wavegrid/wavefunctions/wave_map.hpp>

#include "crystals.hpp"

namespace wavegrid::test_magnetic_group {
namespace {

using namespace test_data;

struct Case {
  std::string name;
  Crystal crystal;
  std::vector<Vec3> moments;
};

Crystal cubic(const std::vector<Vec3>& places) {
  Crystal crystal{Lattice({{{5, 0, 0}, {0, 5, 0}, {0, 0, 5}}}), {"Fe"}, {}};
  for (const Vec3& place : places) crystal.atoms.push_back({0, place});
  return crystal;
}

/// Three atoms around a threefold axis, and moments that point outwards.
Case triangle() {
  const double h = std::sqrt(0.75);
  Crystal crystal{Lattice({{{9, 0, 0}, {-4.5, 9 * h, 0}, {0, 0, 12}}}),
                  {"Cr"},
                  {{0, {0.2, 0, 0.5}}, {0, {0, 0.2, 0.5}}, {0, {-0.2, -0.2, 0.5}}}};
  return {"triangle", crystal, {{2, 0, 0}, {-1, 2 * h, 0}, {-1, -2 * h, 0}}};
}

std::vector<Case> cases() {
  const Crystal two = cubic({{0, 0, 0}, {0.5, 0.5, 0.5}});
  const double d = 1 / std::sqrt(3.0);
  return {{"ferromagnet along z", two, {{0, 0, 2}, {0, 0, 2}}},
          {"ferromagnet along x", two, {{2, 0, 0}, {2, 0, 0}}},
          {"ferromagnet along a diagonal", cubic({{0, 0, 0}}), {{d, d, d}}},
          {"ferromagnet along no axis", cubic({{0, 0, 0}}), {{0.3, 0.5, 0.9}}},
          {"antiferromagnet", two, {{0, 0, 2}, {0, 0, -2}}},
          {"canted", two, {{0.5, 0, 2}, {0.5, 0, -2}}},
          {"hexagonal, across the axis", hcp(), {{2, 0, 0}, {2, 0, 0}}},
          {"hexagonal, along the axis", hcp(), {{0, 0, 2}, {0, 0, -2}}},
          triangle()};
}

/// The numbers of operations without and with time reversal.
std::pair<int, int> counts_of_spglib(const Case& of) {
  double lattice[3][3];
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) lattice[j][i] = of.crystal.lattice.vectors()[i][j];
  std::vector<double> positions, tensors;
  std::vector<int> types;
  for (std::size_t a = 0; a < of.moments.size(); ++a) {
    const Atom& atom = of.crystal.atoms[a];
    positions.insert(positions.end(), atom.position.begin(), atom.position.end());
    tensors.insert(tensors.end(), of.moments[a].begin(), of.moments[a].end());
    types.push_back(atom.species + 1);
  }
  SpglibMagneticDataset* const found =
      spg_get_magnetic_dataset(lattice, reinterpret_cast<double(*)[3]>(positions.data()), types.data(), tensors.data(),
                               1, static_cast<int>(types.size()), 1, 1e-5);
  if (found == nullptr) return {0, 0};
  int reversed = 0;
  for (int o = 0; o < found->n_operations; ++o) reversed += found->time_reversals[o];
  const std::pair<int, int> counts{found->n_operations - reversed, reversed};
  spg_free_magnetic_dataset(found);
  return counts;
}

SpaceGroup group_of(const Case& of) { return magnetic_group(find_space_group(of.crystal), of.crystal, of.moments); }

TEST(MagneticGroup, HasAsManyOperationsAsThatOfSpglib) {
  for (const Case& one : cases()) {
    SCOPED_TRACE(one.name);
    const SpaceGroup group = group_of(one);
    int reversed = 0;
    for (const SymmetryOperation& operation : group.operations()) reversed += operation.time_reversed ? 1 : 0;
    EXPECT_TRUE(group.is_magnetic());
    EXPECT_EQ((std::pair{group.size() - reversed, reversed}), counts_of_spglib(one));
  }
}

TEST(MagneticGroup, IsAGroupThatKeepsTheMoments) {
  for (const Case& one : cases()) {
    SCOPED_TRACE(one.name);
    const SpaceGroup group = group_of(one);
    const auto has = [&](const SymmetryOperation& wanted) {
      return std::any_of(group.operations().begin(), group.operations().end(), [&](const SymmetryOperation& other) {
        Vec3 apart = wanted.translation - other.translation;
        for (double& x : apart) x -= std::round(x);
        return other.rotation == wanted.rotation && other.time_reversed == wanted.time_reversed && norm(apart) < 1e-6;
      });
    };
    for (const SymmetryOperation& a : group.operations()) {
      EXPECT_TRUE(has(inverse(a)));
      for (const SymmetryOperation& b : group.operations()) EXPECT_TRUE(has(product(a, b)));
    }
  }
}

TEST(MagneticGroup, WithoutMomentsItHasEachOperationTwice) {
  const Crystal crystal = hcp();
  const SpaceGroup group = find_space_group(crystal);
  const SpaceGroup grey = magnetic_group(group, crystal, std::vector<Vec3>(2));
  EXPECT_TRUE(grey.is_magnetic());
  EXPECT_EQ(grey.size(), 2 * group.size());
  EXPECT_EQ(grey.num_rotations(), group.num_rotations());
  EXPECT_EQ(irreducible({{4, 4, 4}, {0, 0, 0}}, grey, false).kpoints.size(),
            irreducible({{4, 4, 4}, {0, 0, 0}}, group, true).kpoints.size());
  EXPECT_THROW((void)magnetic_group(group, crystal, std::vector<Vec3>(3)), Error);
}

TEST(MagneticGroup, NamesItsOperationsWithTimeReversal) {
  EXPECT_EQ(group_of(cases()[0]).description(), "32 of the 96 operations of Im-3m (229), 16 with time reversal");
}

TEST(MagneticGroup, ReducesTheKPointsOfAMesh) {
  // A ferromagnet along z: x and y are equivalent, and z to -z by the mirror; a star of the group has at most 16
  // points.
  const SpaceGroup along_z = group_of({"", cubic({{0, 0, 0}}), {{0, 0, 2}}});
  const IrreducibleKPoints some = irreducible({{4, 4, 4}, {0, 0, 0}}, along_z, false);
  EXPECT_EQ(some.kpoints.size(), 18u);
  EXPECT_EQ(some.sentence,
            "mesh of 4 x 4 x 4: 64 k-points, 18 irreducible by 16 rotations, 8 of them with time reversal");
  EXPECT_EQ(irreducible({{4, 4, 4}, {0, 0, 0}}, find_space_group(cubic({{0, 0, 0}})), true).kpoints.size(), 10u);
  // Along no axis only inversion is left: k and -k, not by time reversal.
  const SpaceGroup alone = group_of({"", cubic({{0, 0, 0}}), {{0.3, 0.5, 0.9}}});
  EXPECT_EQ(alone.size(), 2);
  EXPECT_EQ(irreducible({{3, 3, 3}, {0, 0, 0}}, alone, false).kpoints.size(), 14u);
  // Time reversal with a translation maps k to -k, too.
  const Case layers{"",
                    {Lattice({{{5, 0, 0}, {0.3, 6, 0}, {0, 0.2, 9}}}),
                     {"Fe", "H"},
                     {{0, {0, 0, 0}}, {0, {0, 0, 0.5}}, {1, {0.1, 0.2, 0.1}}, {1, {0.1, 0.2, 0.6}}}},
                    {{0, 0, 2}, {0, 0, -2}, {0, 0, 0}, {0, 0, 0}}};
  const SpaceGroup translated = group_of(layers);
  EXPECT_EQ(translated.size(), 2);
  EXPECT_EQ(translated.num_translations(), 2);
  EXPECT_TRUE(translated.translations()[1].time_reversed);
  EXPECT_EQ(irreducible({{3, 3, 3}, {0, 0, 0}}, translated, false).kpoints.size(), 14u);
}

TEST(MagneticGroup, MapsOfKPointsHaveTheTimeReversalOfTheirOperation) {
  const SpaceGroup group = group_of({"", cubic({{0, 0, 0}}), {{0, 0, 2}}});
  const Vec3 k{0.1, 0.2, 0.3};
  for (const SymmetryOperation& operation : group.operations()) {
    Vec3 image = on_reciprocal(operation.rotation, k);
    if (operation.time_reversed) image = -1.0 * image;
    const auto map = map_between(k, image, group);
    ASSERT_TRUE(map.has_value());
    EXPECT_EQ(map->time_reversed, map->operation.time_reversed);
  }
  const SpaceGroup alone = group_of({"", triclinic(), {{0, 0, 2}, {0, 0, 0}, {0, 0, 0}}});
  EXPECT_FALSE(map_between(k, -1.0 * k, alone).has_value());
}

}  // namespace
}  // namespace wavegrid::test_magnetic_group
