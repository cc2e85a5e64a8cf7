// The augmentation charge of a made-up dataset: its transform against the formula, its integrals as an adjoint, its
// derivatives against differences.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include <wavegrid/base/random.hpp>
#include <wavegrid/basis/sphere_quadrature.hpp>
#include <wavegrid/terms/augmentation.hpp>
#include <wavegrid/terms/symmetric_sums.hpp>

#include "augmented_stub.hpp"
#include "grid_setup.hpp"

namespace wavegrid::test_augmentation {
namespace {

using Complex = std::complex<double>;
using std::numbers::pi;

const Int3 grid{12, 11, 13};

Crystal crystal(const Lattice& lattice = skewed) {
  return {lattice, {"Si", "H"}, {{0, {0.02, 0.5, 0.45}}, {1, {0.4, 0.3, 0.9}}, {0, {0.7, 0.11, 0.2}}}};
}
/// The second species has no augmentation.
Pseudopotentials potentials() {
  return {std::make_shared<AugmentedStub>(made_up_dataset()), std::make_shared<AugmentedStub>()};
}

AtomMatrices matrices() {
  AtomMatrices all;
  for (std::size_t a = 0; a < 3; ++a) {
    const Index n = a == 1 ? 0 : made_up_projectors;  // the second atom has none
    Matrix<Complex> m(n, n);
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j <= i; ++j) {
        m(i, j) = {random_at({Index(a), i, j, 0}), i == j ? 0.0 : random_at({Index(a), i, j, 1})};
        m(j, i) = std::conj(m(i, j));
      }
    all.push_back(std::move(m));
  }
  return all;
}

double turns(const Int3& g, const Vec3& position) {
  return g[0] * position[0] + g[1] * position[1] + g[2] * position[2];
}

/// The coefficients of a real function.
GridFft::Coefficients potential_on(GridSetup& setup) {
  return setup.fft.to_recip(setup.field([](int x, int y, int z) { return random_at({x, y, z, 9}) - 0.5; }));
}

/// Omega sum_G Re(conj(V) n^), which has half of the G.
double energy(const GridSetup& setup, const Augmentation& charge, const AtomMatrices& rho,
              const GridFft::Coefficients& v) {
  const GridFft::Coefficients n = charge.density(rho);
  return setup.fft.waves().lattice().volume() *
         setup.fft.over_waves()([&](std::size_t i) { return (std::conj(v[i]) * n[i]).real(); });
}

TEST(Augmentation, TheTransformIsThatOfItsGaussians) {
  GridSetup setup(Scheme::greedy, skewed, grid);
  const Augmentation charge(setup.fields.fourier_box(), crystal(), potentials());
  const AtomMatrices rho = matrices();
  const GridFft::Coefficients found = charge.density(rho);
  const AugmentedDataset dataset = made_up_dataset();
  const GauntTable gaunt(2);
  const RealHarmonics harmonics(4);
  std::vector<double> y(harmonics.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    Complex expected = 0;
    const Vec3 g = setup.fft.waves().k_plus_g(static_cast<Index>(i));
    harmonics.values(g, y);
    for (const AugmentationFunction& f : dataset.augmentation) {
      const int l1 = dataset.waves[f.i].l, l2 = dataset.waves[f.j].l;
      const Complex radial = std::pow(Complex(0, -1), f.l) * made_up_transform(f, norm(g)) / skewed.volume();
      for (const std::size_t a : {0u, 2u})
        for (int m1 = -l1; m1 <= l1; ++m1)
          for (int m2 = -l2; m2 <= l2; ++m2) {
            const Complex element = rho[a](first_projector(f.i) + l1 + m1, first_projector(f.j) + l2 + m2);
            for (int m = -f.l; m <= f.l; ++m)
              expected += std::polar(f.i == f.j ? 1.0 : 2.0, -2 * pi * turns(setup.g(i), crystal().atoms[a].position)) *
                          element.real() * radial * y[harmonic_index(f.l, m)] *
                          gaunt(harmonic_index(f.l, m), harmonic_index(l1, m1), harmonic_index(l2, m2));
          }
    }
    expected *= setup.fields.inside()[i] ? half_weight(setup.g(i), grid) : 0;
    EXPECT_LT(std::abs(found[i] - expected), 2e-9);
  }
}

TEST(Augmentation, IntegralsAreTheAdjoint) {
  GridSetup setup(Scheme::greedy, skewed, grid);
  const Augmentation charge(setup.fields.fourier_box(), crystal(), potentials());
  const AtomMatrices rho = matrices();
  const GridFft::Coefficients v = potential_on(setup);
  const AtomMatrices d = charge.integrals(v);
  double sum = 0;
  for (std::size_t a = 0; a < d.size(); ++a)
    for (Index i = 0; i < d[a].rows(); ++i)
      for (Index j = 0; j < d[a].rows(); ++j) {
        sum += (rho[a](i, j) * d[a](j, i)).real();
        EXPECT_EQ(d[a](i, j), d[a](j, i));
        EXPECT_EQ(d[a](i, j).imag(), 0.0);
      }
  EXPECT_NEAR(sum, energy(setup, charge, rho, v), 1e-12 * std::abs(sum));
  EXPECT_GT(std::abs(sum), 0.01);
}

TEST(Augmentation, ForcesAreThoseOfDifferences) {
  GridSetup setup(Scheme::greedy, skewed, grid);
  const AtomMatrices rho = matrices();
  const GridFft::Coefficients v = potential_on(setup);
  const std::vector<Vec3> forces = Augmentation(setup.fields.fourier_box(), crystal(), potentials()).forces(rho, v);
  constexpr double h = 1e-4;
  const auto moved = [&](std::size_t axis, double step) {
    Crystal at = crystal();
    for (std::size_t i = 0; i < 3; ++i) at.atoms[2].position[i] += step * skewed.reciprocal()[i][axis] / (2 * pi);
    return energy(setup, Augmentation(setup.fields.fourier_box(), at, potentials()), rho, v);
  };
  for (std::size_t axis = 0; axis < 3; ++axis)
    EXPECT_NEAR(forces[2][axis], -(moved(axis, h) - moved(axis, -h)) / (2 * h), 1e-6);
  EXPECT_EQ(forces[1], (Vec3{0, 0, 0}));
}

TEST(Augmentation, StrainIsThatOfDifferences) {
  GridSetup setup(Scheme::greedy, skewed, grid);
  const AtomMatrices rho = matrices();
  GridFft::Coefficients v = potential_on(setup);
  const std::vector<char> inside = setup.fields.inside();
  for (std::size_t i = 0; i < v.size(); ++i)
    if (!inside[i]) v[i] = 0;
  const Mat3 strain = Augmentation(setup.fields.fourier_box(), crystal(), potentials()).strain(rho, v);
  constexpr double h = 1e-4;
  const auto strained = [&](std::size_t a, std::size_t b, double step) {
    Mat3 vectors = skewed.vectors();
    for (Vec3& vector : vectors) {
      const Vec3 old = vector;
      vector[a] += 0.5 * step * old[b];
      vector[b] += 0.5 * step * old[a];
    }
    const Lattice lattice(vectors);
    GridSetup other(Scheme::greedy, lattice, grid);
    FourierBox box = other.fields.fourier_box();
    const FourierBox same_waves{.fft = box.fft, .inside = inside};
    return energy(other, Augmentation(same_waves, crystal(lattice), potentials()), rho, v);
  };
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t b = 0; b < 3; ++b)
      EXPECT_NEAR(strain[a][b], (strained(a, b, h) - strained(a, b, -h)) / (2 * h), 1e-6) << a << b;
}

}  // namespace
}  // namespace wavegrid::test_augmentation
