// Maps between wave functions of equivalent k-points, compared with their definition in real space.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <set>
#include <string>
#include <vector>

#include <wavegrid/base/random.hpp>
#include <wavegrid/crystal/find_space_group.hpp>
#include <wavegrid/wavefunctions/wave_map.hpp>

#include "crystals.hpp"
#include "spheres.hpp"

namespace wavegrid::test_wave_map {
namespace {

using namespace test_data;
using Complex = std::complex<double>;

const Vec3 somewhere{0.125, -0.25, 0.3};

Complex wave(const Vec3& q, const Vec3& x) { return std::polar(1.0, 2 * std::numbers::pi * dot(q, x)); }

Vec3 plus(const Vec3& k, const Int3& g) { return {k[0] + g[0], k[1] + g[1], k[2] + g[2]}; }

std::vector<Int3> some_g() { return {{0, 0, 0}, {1, 0, 0}, {0, -2, 1}, {3, 1, -1}, {-4, 0, 0}, {2, -5, 0}}; }

/// The image of k' under the map, shifted by a few reciprocal vectors.
Vec3 image_of_k(const SymmetryOperation& operation, const Vec3& k, bool time_reversed, const Int3& fold) {
  const Vec3 image = on_reciprocal(operation.rotation, k);
  return plus(time_reversed ? -1.0 * image : image, fold);
}

/// psi_k' = c' exp(2 pi i (k' + g').x) with one coefficient, transformed in real space and by the map: both are the
/// same plane wave except for a phase that is common to all G.
void expect_definition(const WaveMap& map, const Vec3& from, const Vec3& to) {
  const Complex shared = wave(from, map.operation.translation);
  for (const Int3& g : some_g()) {
    const WaveOrigin origin = find_origin(map, Mode::complex, g);
    EXPECT_EQ(origin.conjugated, map.time_reversed);
    const Complex c_prime(0.7, -0.4), c = origin.factor * (origin.conjugated ? std::conj(c_prime) : c_prime);
    for (int point = 0; point < 3; ++point) {
      const Vec3 x{random_at({point, 0}), random_at({point, 1}), random_at({point, 2})};
      const Complex there = c_prime * wave(plus(from, origin.g), image_of(map.operation, x)) / shared;
      EXPECT_LT(std::abs(c * wave(plus(to, g), x) - (map.time_reversed ? std::conj(there) : there)), 1e-12);
    }
  }
}

TEST(WaveMap, AgreesWithItsDefinitionForEveryOperation) {
  for (const Crystal& crystal : {diamond_primitive(), diamond_conventional(), hcp(), graphene(), triclinic()}) {
    const SpaceGroup group = find_space_group(crystal);
    for (const SymmetryOperation& operation : group.operations())
      for (const bool reversed : {false, true}) {
        const Int3 fold{1, 0, -2};
        const Vec3 to = image_of_k(operation, somewhere, reversed, fold);
        const auto map = map_between(somewhere, to, operation, reversed);
        ASSERT_TRUE(map.has_value());
        EXPECT_EQ(map->fold, fold);
        EXPECT_EQ(map->time_reversed, reversed);
        expect_definition(*map, somewhere, to);
      }
  }
}

TEST(WaveMap, IdentityKeepsEveryCoefficient) {
  for (const Int3& g : some_g()) {
    const WaveOrigin same = find_origin({}, Mode::complex, g);
    EXPECT_EQ(same.g, g);
    EXPECT_EQ(same.factor, Complex(1.0));
    EXPECT_FALSE(same.conjugated);
  }
  const auto map = map_between(somewhere, somewhere, SymmetryOperation{}, false);
  ASSERT_TRUE(map.has_value());
  EXPECT_EQ(map->fold, (Int3{0, 0, 0}));
}

TEST(WaveMap, FoldsShiftTheCoefficients) {
  const auto map = map_between({0.5, 0, 0}, {-0.5, 0, 0}, SymmetryOperation{}, false);
  ASSERT_TRUE(map.has_value());
  EXPECT_EQ(map->fold, (Int3{-1, 0, 0}));
  EXPECT_EQ(find_origin(*map, Mode::complex, {3, 1, -2}).g, (Int3{2, 1, -2}));
}

TEST(WaveMap, TimeReversalConjugatesMinusG) {
  const auto map = map_between(somewhere, -1.0 * somewhere, SymmetryOperation{}, true);
  ASSERT_TRUE(map.has_value());
  const WaveOrigin origin = find_origin(*map, Mode::complex, {3, 1, -2});
  EXPECT_EQ(origin.g, (Int3{-3, -1, 2}));
  EXPECT_EQ(origin.factor, Complex(1.0));
  EXPECT_TRUE(origin.conjugated);
}

TEST(WaveMap, FractionalTranslationsGivePhases) {
  const SymmetryOperation half_way{no_rotation, {0.5, 0, 0.25}};
  const WaveMap map{half_way, {0, 0, 0}, false}, reversed{half_way, {0, 0, 0}, true};
  EXPECT_LT(std::abs(find_origin(map, Mode::complex, {1, 5, 0}).factor - Complex(-1)), 1e-15);
  EXPECT_LT(std::abs(find_origin(map, Mode::complex, {0, 0, 1}).factor - Complex(0, 1)), 1e-15);
  EXPECT_LT(std::abs(find_origin(reversed, Mode::complex, {0, 0, 1}).factor - Complex(0, 1)),
            1e-15);                                                            // of -G, conjugated
  EXPECT_EQ(find_origin(map, Mode::complex, {2, 7, 4}).factor, Complex(1.0));  // multiples of 2 pi, exactly
}

TEST(WaveMap, OriginsAreInTheStoredHalf) {
  const SpaceGroup group = find_space_group(diamond_primitive());
  for (const SymmetryOperation& operation : group.operations())
    for (const bool reversed : {false, true})
      for (const Int3& g : some_g()) {
        const WaveMap map{operation, {0, 0, 0}, reversed};
        const WaveOrigin whole = find_origin(map, Mode::complex, g), half = find_origin(map, Mode::gamma, g);
        EXPECT_TRUE(in_half(half.g));
        // coefficients of a real wave function: c(-g) = conj(c(g))
        const auto value = [&](const WaveOrigin& origin) {
          const double odd = 100.0 * origin.g[2] + 10.0 * origin.g[1] + origin.g[0];
          const Complex c(1.0 + std::abs(odd), odd);
          return origin.factor * (origin.conjugated ? std::conj(c) : c);
        };
        EXPECT_LT(std::abs(value(whole) - value(half)), 1e-12);
      }
}

TEST(WaveMap, TheStoredHalfIsThatOfTheSphere) {
  const GSphere half = skewed_sphere(Mode::gamma), whole = skewed_sphere(Mode::complex);
  Index stored = 0;
  for (int stick = 0; stick < whole.counts().num_sticks(); ++stick)
    for (int n = 0; n < whole.counts().count[static_cast<std::size_t>(stick)]; ++n)
      stored += in_half(whole.g(stick, n)) ? 1 : 0;
  EXPECT_EQ(stored, half.size());
  for (int stick = 0; stick < half.counts().num_sticks(); ++stick)
    for (int n = 0; n < half.counts().count[static_cast<std::size_t>(stick)]; ++n)
      EXPECT_TRUE(in_half(half.g(stick, n)));
}

TEST(WaveMap, ExistsForEquivalentPointsOnly) {
  EXPECT_FALSE(map_between({0.1, 0, 0}, {0.2, 0, 0}, SymmetryOperation{}, false).has_value());
  EXPECT_FALSE(map_between({0.1, 0, 0}, {-0.1, 0, 0}, SymmetryOperation{}, false).has_value());
  EXPECT_FALSE(map_between({0.1, 0, 0}, {0.1 + 1e-6, 0, 0}, SymmetryOperation{}, false).has_value());
  EXPECT_TRUE(map_between({1. / 3, 0, 0}, {1. / 3 + 1e-12, 0, 0}, SymmetryOperation{}, false).has_value());
  EXPECT_FALSE(map_between({0.1, 0.2, 0.3}, {0.3, 0.1, 0.3}, find_space_group(diamond_primitive())).has_value());
}

TEST(WaveMap, OfAGroupIsTheFirstOperation) {
  const SpaceGroup diamond = find_space_group(diamond_primitive()), none = find_space_group(triclinic());
  const auto same = map_between(somewhere, plus(somewhere, {0, 1, 0}), diamond);
  ASSERT_TRUE(same.has_value());
  EXPECT_EQ(same->operation.rotation, no_rotation);
  EXPECT_EQ(same->fold, (Int3{0, 1, 0}));
  const auto inverted = map_between(somewhere, -1.0 * somewhere, diamond);
  ASSERT_TRUE(inverted.has_value());
  EXPECT_FALSE(inverted->time_reversed);  // an operation before time reversal
  const auto reversed = map_between(somewhere, -1.0 * somewhere, none);
  ASSERT_TRUE(reversed.has_value());
  EXPECT_TRUE(reversed->time_reversed);
}

/// The origins of all G of one sphere are the G of the other, each once.
TEST(WaveMap, MapsOneSphereOntoTheOther) {
  const Crystal crystal = diamond_primitive();
  const SpaceGroup group = find_space_group(crystal);
  const auto waves_at = [&](const Vec3& k) {
    const GSphere sphere(crystal.lattice, 6.0, {20, 20, 20}, Mode::complex, k);
    std::set<Int3> all;
    for (int stick = 0; stick < sphere.counts().num_sticks(); ++stick)
      for (int n = 0; n < sphere.counts().count[static_cast<std::size_t>(stick)]; ++n) all.insert(sphere.g(stick, n));
    return all;
  };
  for (const Vec3& from : {somewhere, Vec3{0.5, 0.25, 0}})
    for (const SymmetryOperation& operation : group.operations())
      for (const bool reversed : {false, true}) {
        const Vec3 to = image_of_k(operation, from, reversed, {-1, 0, 1});
        std::set<Int3> origins;
        for (const Int3& g : waves_at(to))
          origins.insert(find_origin(*map_between(from, to, operation, reversed), Mode::complex, g).g);
        EXPECT_EQ(origins, waves_at(from));
      }
}

}  // namespace
}  // namespace wavegrid::test_wave_map
