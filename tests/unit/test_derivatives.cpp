// Functions that forces and stress need, compared with differences: derivatives of form factors, gradients of spherical
// harmonics, and derivatives of the Ewald energy.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include <wavegrid/base/random.hpp>
#include <wavegrid/basis/spherical_harmonics_gradient.hpp>
#include <wavegrid/ions/ewald.hpp>
#include <wavegrid/ions/ewald_derivatives.hpp>
#include <wavegrid/pseudo/gth_potential.hpp>
#include <wavegrid/pseudo/pseudopotential_file.hpp>

namespace wavegrid::test_derivatives {
namespace {

/// The derivative of f by differences, an error of order h^4.
double slope(const std::function<double(double)>& f, double x, double h) {
  return (8 * (f(x + h) - f(x - h)) - f(x + 2 * h) + f(x - 2 * h)) / (12 * h);
}

void expect_slopes(const Pseudopotential& p, const std::string& name, double within) {
  for (const double g : {0.4, 1.3, 4.7, 11.0}) {
    const double h = 1e-3;
    const double local = p.local_slope(g);
    EXPECT_NEAR(local, slope([&](double x) { return p.local(x); }, g, h), within + 1e-9 * std::abs(local)) << name << g;
    EXPECT_NEAR(p.core_density_slope(g), slope([&](double x) { return p.core_density(x); }, g, h), within) << name << g;
    for (int c = 0; c < p.num_channels(); ++c)
      for (int i = 0; i < p.num_projectors(c); ++i)
        EXPECT_NEAR(p.projector_slope(c, i, g), slope([&](double x) { return p.projector(c, i, x); }, g, h), within)
            << name << " " << g << " " << c << " " << i;
  }
}

TEST(FormFactorSlopes, Gth) {
  const GthPotential p({"Xx",
                        {2, 6, 3, 1},
                        0.47,
                        {-8.3, 1.7, -0.6, 0.09},
                        {{0, 0.46, {5.1, -1.0, 0.3, 2.7, -0.4, 0.8}},
                         {1, 0.53, {2.2, 0.5, 0.1, -1.1, 0.2, 0.4}},
                         {2, 0.61, {1.2, -0.5, 0.3, 0.7, 0.6, -0.2}},
                         {3, 0.39, {-1.4, 0.1, 0.2, 0.9, 0.3, 0.5}}}});
  expect_slopes(p, "GTH", 1e-8);
  EXPECT_EQ(p.projector_slope(0, 0, 0.0), 0.0);
  EXPECT_GT(std::abs(p.projector_slope(1, 0, 0.0)), 0.1);
}

TEST(FormFactorSlopes, Files) {
  const std::string folder = std::string(WAVEGRID_SOURCE_DIR) + "/tests/reference/pseudopotentials/";
  for (const auto& [name, element] : {std::pair("Al.psp8", "Al"), {"Mg.psp8", "Mg"}, {"14-Si.nlcc.UPF", "Si"}})
    expect_slopes(*read_pseudopotential(folder + name, element), name, 2e-7);
}

TEST(SphericalHarmonics, GradientsAreThoseOfDifferences) {
  for (int l = 0; l <= 3; ++l)
    for (int m = 0; m <= 2 * l; ++m)
      for (int n = 0; n < 5; ++n) {
        const Vec3 q{random_at({l, m, n, 0}), random_at({l, m, n, 1}), random_at({l, m, n, 2})};
        const double length = norm(q);
        const Vec3 gradient = real_ylm_gradient(l, m, (1 / length) * q);
        EXPECT_NEAR(dot(gradient, q), 0.0, 1e-13);
        for (std::size_t axis = 0; axis < 3; ++axis) {
          const auto along = [&](double x) {
            Vec3 moved = q;
            moved[axis] += x;
            return real_ylm(l, m, moved);
          };
          EXPECT_NEAR(gradient[axis], length * slope(along, 0.0, 1e-3 * length), 1e-9) << l << m;
        }
      }
}

struct IonsInACell {
  Mat3 cell{{{7, 1, -.5}, {2, 9, 1.5}, {-1, 3, 8}}};
  std::vector<Vec3> positions;
  std::vector<double> charges;

  explicit IonsInACell(int n) {
    for (int i = 0; i < n; ++i) {
      positions.push_back({random_at({i, 0}), random_at({i, 1}), random_at({i, 2})});
      charges.push_back(1.0 + (i % 4));
    }
  }
  [[nodiscard]] double energy() const { return ewald_energy(Lattice(cell), positions, charges); }
};

TEST(EwaldDerivatives, ForcesAreThoseOfDifferences) {
  const IonsInACell ions(5);
  const Lattice lattice(ions.cell);
  const EwaldDerivatives found = ewald_derivatives(lattice, ions.positions, ions.charges);
  Vec3 net{0, 0, 0};
  for (std::size_t i = 0; i < 5; ++i) {
    net = net + found.forces[i];
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto along = [&](double x) {  // along a lattice vector
        IonsInACell moved(ions);
        moved.positions[i][axis] += x;
        return moved.energy();
      };
      EXPECT_NEAR(dot(found.forces[i], ions.cell[axis]), -slope(along, 0.0, 1e-3), 1e-8);
    }
  }
  EXPECT_LT(norm(net), 1e-12);
}

TEST(EwaldDerivatives, StrainIsThatOfDifferences) {
  const IonsInACell ions(4);
  const EwaldDerivatives found = ewald_derivatives(Lattice(ions.cell), ions.positions, ions.charges);
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t b = 0; b < 3; ++b) {
      const auto strained = [&](double x) {
        IonsInACell other(ions);
        for (Vec3& vector : other.cell) vector[a] += x * vector[b];
        return other.energy();
      };
      EXPECT_NEAR(found.strain[a][b], slope(strained, 0.0, 1e-3), 1e-8) << a << b;
    }
}

TEST(EwaldDerivatives, DependOnNeitherEtaNorTheParts) {
  const IonsInACell ions(6);
  const Lattice lattice(ions.cell);
  const EwaldDerivatives whole = ewald_derivatives(lattice, ions.positions, ions.charges);
  for (const double eta : {0.02, 0.3})
    for (const int parts : {1, 3, 64}) {
      EwaldDerivatives sum{std::vector<Vec3>(6, Vec3{0, 0, 0}), {}};
      for (int part = 0; part < parts; ++part) {
        const EwaldDerivatives one = ewald_derivatives(lattice, ions.positions, ions.charges, part, parts, eta);
        for (std::size_t i = 0; i < 6; ++i) sum.forces[i] = sum.forces[i] + one.forces[i];
        for (std::size_t a = 0; a < 3; ++a) sum.strain[a] = sum.strain[a] + one.strain[a];
      }
      for (std::size_t i = 0; i < 6; ++i) EXPECT_LT(norm(sum.forces[i] - whole.forces[i]), 1e-12);
      for (std::size_t a = 0; a < 3; ++a) EXPECT_LT(norm(sum.strain[a] - whole.strain[a]), 1e-11);
    }
  EXPECT_TRUE(ewald_derivatives(lattice, {}, {}).forces.empty());
}

}  // namespace
}  // namespace wavegrid::test_derivatives
