// Ewald sums compared with Madelung constants and ABINIT's fcc aluminium, and invariances of the sum.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/random.hpp>
#include <wavegrid/ions/ewald.hpp>

namespace wavegrid::test_ewald {
namespace {

const std::vector<Vec3> fcc{{0, 0, 0}, {0, .5, .5}, {.5, 0, .5}, {.5, .5, 0}};
const Lattice unit_cube({{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}});

Lattice cube(double a) { return Lattice({{{a, 0, 0}, {0, a, 0}, {0, 0, a}}}); }

/// Energy of two fcc sublattices of charge +1 and -1, the second shifted by `shift`.
double rock_salt_like(const Vec3& shift) {
  std::vector<Vec3> positions = fcc;
  std::vector<double> charges(8, -1.0);
  for (std::size_t i = 0; i < 4; ++i) {
    positions.push_back(fcc[i] + shift);
    charges[i] = 1.0;
  }
  return ewald_energy(unit_cube, positions, charges);
}

struct Cluster {
  std::vector<Vec3> positions;
  std::vector<double> charges;
};
Cluster random_ions(int n) {
  Cluster ions;
  for (int i = 0; i < n; ++i) {
    ions.positions.push_back({random_at({i, 0}), random_at({i, 1}), random_at({i, 2})});
    ions.charges.push_back(1.0 + (i % 4));
  }
  return ions;
}
const Lattice skewed({{{7, 1, -.5}, {2, 9, 1.5}, {-1, 3, 8}}});

// Madelung constants: Y. Sakamoto, J. Chem. Phys. 28, 164 (1958), 10.1063/1.1744060, and OEIS A085469, A181152,
// A182566.
TEST(Ewald, MadelungConstantOfSodiumChloride) {
  EXPECT_NEAR(-rock_salt_like({.5, 0, 0}) / 4.0 * 0.5, 1.7475645946331822, 1e-10);
}
TEST(Ewald, MadelungConstantOfZincBlende) {
  EXPECT_NEAR(-rock_salt_like({.25, .25, .25}) / 4.0 * std::sqrt(3.0) / 4.0, 1.6380550533888, 1e-10);
}
TEST(Ewald, MadelungConstantOfCaesiumChloride) {
  const double energy = ewald_energy(unit_cube, {{0, 0, 0}, {.5, .5, .5}}, {1.0, -1.0});
  EXPECT_NEAR(-energy * std::sqrt(3.0) / 2.0, 1.76267477307099, 1e-10);
}

TEST(Ewald, AluminiumAgreesWithAbinit) {
  EXPECT_NEAR(ewald_energy(cube(7.6533909), fcc, {3, 3, 3, 3}), -10.783131, 1e-6);
}

TEST(Ewald, SupercellIsTwentySevenCells) {
  std::vector<Vec3> positions;
  for (int i = 0; i < 27; ++i)
    for (const Vec3& r : fcc)
      positions.push_back((1.0 / 3.0) * (r + Vec3{double(i % 3), double(i / 3 % 3), double(i / 9)}));
  const double big = ewald_energy(cube(3 * 7.6533909), positions, std::vector<double>(108, 3.0));
  EXPECT_NEAR(big, 27.0 * ewald_energy(cube(7.6533909), fcc, {3, 3, 3, 3}), 1e-9);
}

TEST(Ewald, DoesNotDependOnEta) {
  const Cluster ions = random_ions(9);
  const double energy = ewald_energy(skewed, ions.positions, ions.charges);
  for (const double eta : {0.02, 0.07, 0.3, 1.1})
    EXPECT_NEAR(ewald_energy(skewed, ions.positions, ions.charges, 0, 1, eta), energy,
                1e-12 * std::abs(energy) + 1e-12);
}

TEST(Ewald, DoesNotDependOnTheOrigin) {
  Cluster ions = random_ions(7);
  const double energy = ewald_energy(skewed, ions.positions, ions.charges);
  for (Vec3& r : ions.positions) r = r + Vec3{0.37, -1.81, 5.03};
  EXPECT_NEAR(ewald_energy(skewed, ions.positions, ions.charges), energy, 1e-12 * std::abs(energy) + 1e-12);
}

TEST(Ewald, PartsAddUp) {
  const Cluster ions = random_ions(7);
  const double energy = ewald_energy(skewed, ions.positions, ions.charges);
  for (const int parts : {2, 3, 5, 16, 400}) {
    double sum = 0.0;
    for (int part = 0; part < parts; ++part) sum += ewald_energy(skewed, ions.positions, ions.charges, part, parts);
    EXPECT_NEAR(sum, energy, 1e-12 * std::abs(energy) + 1e-12) << parts;
  }
}

TEST(Ewald, SkewedCellEqualsCubicCell) {
  const double a = 5.1;
  const Lattice sheared({{{a, 0, 0}, {3 * a, a, 0}, {-2 * a, a, -a}}});  // left-handed too
  const Lattice cubic = cube(a);
  const std::vector<double> charges{2, 4, -1};
  const std::vector<Vec3> in_cube{{.1, .2, .3}, {.6, .75, .9}, {.4, .1, .55}};
  std::vector<Vec3> in_sheared;
  for (const Vec3& r : in_cube) {
    const Vec3 x = cubic.cartesian(r);
    Vec3 f{};
    for (std::size_t k = 0; k < 3; ++k) f[k] = dot(x, sheared.reciprocal()[k]) / (2.0 * std::acos(-1.0));
    in_sheared.push_back(f);
  }
  EXPECT_NEAR(ewald_energy(sheared, in_sheared, charges), ewald_energy(cubic, in_cube, charges), 1e-11);
  const double primitive = ewald_energy(Lattice({{{0, .5, .5}, {.5, 0, .5}, {.5, .5, 0}}}), {{0, 0, 0}}, {1.0});
  EXPECT_NEAR(4.0 * primitive, ewald_energy(unit_cube, fcc, {1, 1, 1, 1}), 1e-11);
}

TEST(Ewald, RefusesBadInput) {
  EXPECT_EQ(ewald_energy(unit_cube, {}, {}), 0.0);
  EXPECT_THROW((void)ewald_energy(unit_cube, {{0, 0, 0}}, {}), Error);
  EXPECT_THROW((void)ewald_energy(unit_cube, {{0, 0, 0}, {1, -2, 0}}, {1, 1}), Error);
  EXPECT_THROW((void)ewald_energy(unit_cube, {{0, 0, 0}}, {1}, 2, 2), Error);
}

}  // namespace
}  // namespace wavegrid::test_ewald
