// Analytic GTH form factors compared with numerical radial integrals, and spherical harmonics.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/units.hpp>
#include <wavegrid/basis/spherical_harmonics.hpp>
#include <wavegrid/pseudo/gth_potential.hpp>

namespace wavegrid::test_gth_potential {
namespace {

constexpr double pi = units::pi;

/// All four local coefficients, and three projectors for each l with its own radius.
GthParameters everything() {
  return {"Xx",
          {2, 6, 3, 1},
          0.47,
          {-8.3, 1.7, -0.6, 0.09},
          {{0, 0.46, {5.1, -1.0, 0.3, 2.7, -0.4, 0.8}},
           {1, 0.53, {2.2, 0.5, 0.1, -1.1, 0.2, 0.4}},
           {2, 0.61, {1.2, -0.5, 0.3, 0.7, 0.6, -0.2}},
           {3, 0.39, {-1.4, 0.1, 0.2, 0.9, 0.3, 0.5}}}};
}

/// int_0^inf f(r) dr by the trapezoidal rule, exponentially accurate for even f with a Gaussian tail.
double integrate(const std::function<double(double)>& f, double end) {
  const int n = 4000;
  const double dr = end / n;
  double sum = 0.5 * f(0.0);
  for (int k = 1; k < n; ++k) sum += f(k * dr);
  return sum * dr;
}

TEST(GthPotential, LocalFormFactorIsTheTransformOfTheRadialPotential) {
  const GthPotential p(everything());
  const double a = 0.9;  // the long range is subtracted as that of another Gaussian charge than the potential's own
  for (const double g : {0.05, 0.4, 1.0, 2.3, 3.7, 5.0, 8.0}) {
    const auto shorter = [&](double r) {
      if (r == 0.0) return 0.0;
      return 4.0 * pi * r * r * std::sph_bessel(0, g * r) *
             (p.local_radial(r) + p.valence_charge() * std::erf(r / a) / r);
    };
    const double long_range = -4.0 * pi * p.valence_charge() / (g * g) * std::exp(-0.25 * g * g * a * a);
    const double expected = integrate(shorter, 8.0) + long_range;
    EXPECT_NEAR(p.local(g), expected, 1e-10 * std::abs(expected)) << "g = " << g;
  }
}

TEST(GthPotential, LocalCoreIsTheLimitAtSmallG) {
  const GthPotential p(everything());
  const auto finite_part = [&](double g) { return p.local(g) + 4.0 * pi * p.valence_charge() / (g * g); };
  const double g = 0.02;  // even in g: one Richardson step leaves g^4
  EXPECT_NEAR(p.local_core(), (4.0 * finite_part(g) - finite_part(2.0 * g)) / 3.0, 1e-5);
  const auto whole = [&](double r) {
    return r == 0.0 ? 0.0 : 4.0 * pi * r * r * (p.local_radial(r) + p.valence_charge() / r);
  };
  // The integrand is linear near r = 0, where the trapezoidal rule has the error dr^2/12 times its slope 4 pi Z.
  const double edge = std::pow(8.0 / 4000, 2) / 12.0 * 4.0 * pi * p.valence_charge();
  EXPECT_NEAR(p.local_core(), integrate(whole, 8.0) + edge, 1e-9 * std::abs(p.local_core()));
}

TEST(GthPotential, LocalRadialHasTheRightLimits) {
  const GthPotential p(everything());
  const double z = p.valence_charge();
  EXPECT_NEAR(p.local_radial(0.0), -z / 0.47 * std::sqrt(2.0 / pi) - 8.3, 1e-12);
  EXPECT_NEAR(p.local_radial(1e-6), p.local_radial(0.0), 1e-9);
  EXPECT_NEAR(p.local_radial(9.0), -z / 9.0, 1e-14);
}

TEST(GthPotential, ProjectorsAreNormalised) {
  const GthPotential p(everything());
  for (int c = 0; c < p.num_channels(); ++c)
    for (int i = 0; i < p.num_projectors(c); ++i) {
      const auto density = [&](double r) { return std::pow(r * p.projector_radial(c, i, r), 2); };
      EXPECT_NEAR(integrate(density, 10.0), 1.0, 1e-12) << "c " << c << " i " << i;
      // Parseval: int p(g)^2 g^2 dg = (2 pi)^3 int p(r)^2 r^2 dr.
      const auto spectrum = [&](double g) { return std::pow(g * p.projector(c, i, g), 2); };
      EXPECT_NEAR(integrate(spectrum, 40.0) / std::pow(2.0 * pi, 3), 1.0, 1e-12) << "c " << c << " i " << i;
    }
}

TEST(GthPotential, ProjectorFormFactorIsTheBesselTransform) {
  const GthPotential p(everything());
  for (int c = 0; c < p.num_channels(); ++c)
    for (int i = 0; i < p.num_projectors(c); ++i)
      for (const double g : {0.05, 0.4, 1.0, 2.3, 3.7, 5.0, 8.0}) {
        const auto l = static_cast<unsigned>(p.channel_l(c));
        const auto integrand = [&](double r) {
          return r == 0.0 ? 0.0 : 4.0 * pi * r * r * std::sph_bessel(l, g * r) * p.projector_radial(c, i, r);
        };
        const double expected = integrate(integrand, 10.0);
        EXPECT_NEAR(p.projector(c, i, g), expected, 1e-10 * std::abs(expected))
            << "l " << l << " i " << i << " g " << g;
      }
}

TEST(GthPotential, ProjectorAtZeroVanishesAboveS) {
  const GthPotential p(everything());
  EXPECT_GT(p.projector(0, 0, 0.0), 0.0);
  for (int c = 1; c < 4; ++c) EXPECT_EQ(p.projector(c, 0, 0.0), 0.0);
}

TEST(GthPotential, CouplingReadsTheUpperTriangle) {
  const GthPotential p(everything());
  EXPECT_EQ(p.num_projectors(0), 3);
  const double expected[3][3] = {{5.1, -1.0, 0.3}, {-1.0, 2.7, -0.4}, {0.3, -0.4, 0.8}};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) EXPECT_EQ(p.coupling(0, i, j), expected[i][j]);
  EXPECT_EQ(num_projectors_per_atom(p), 3 * (1 + 3 + 5 + 7));
  EXPECT_EQ(p.valence_charge(), 12.0);
}

TEST(GthPotential, RefusesParametersThatTheFormDoesNotAllow) {
  const auto refused = [](auto change) {
    GthParameters p = everything();
    change(p);
    EXPECT_THROW(GthPotential{p}, Error);
  };
  refused([](auto& p) { p.electrons = {}; });
  refused([](auto& p) { p.electrons = {0, 0}; });
  refused([](auto& p) { p.electrons = {3, -1}; });
  refused([](auto& p) { p.local_radius = 0.0; });
  refused([](auto& p) { p.local_radius = std::nan(""); });
  refused([](auto& p) { p.local_coefficients.resize(5); });
  refused([](auto& p) { p.channels[1].h.resize(4); });
  refused([](auto& p) { p.channels[1].h[0] = INFINITY; });
  refused([](auto& p) { p.channels[1].l = 4; });
  refused([](auto& p) { p.channels[1].l = 0; });
}

TEST(SphericalHarmonics, AdditionTheorem) {
  const Vec3 a{0.3, -1.2, 0.7};
  const Vec3 b{-2.0, 0.4, 1.9};
  const double cosine = dot(a, b) / (norm(a) * norm(b));
  for (int l = 0; l <= 3; ++l) {
    double sum = 0.0;
    for (int m = 0; m <= 2 * l; ++m) sum += real_ylm(l, m, a) * real_ylm(l, m, b);
    EXPECT_NEAR(sum, (2 * l + 1) / (4.0 * pi) * std::legendre(static_cast<unsigned>(l), cosine), 1e-14) << "l " << l;
  }
}

TEST(SphericalHarmonics, OrthonormalOnTheSphere) {
  // Products have degree 6 at most: four Gauss-Legendre points in cos(theta) and 8 in phi integrate them exactly.
  const double node[4] = {-0.8611363115940526, -0.3399810435848563, 0.3399810435848563, 0.8611363115940526};
  const double weight[4] = {0.3478548451374538, 0.6521451548625461, 0.6521451548625461, 0.3478548451374538};
  double overlap[16][16] = {};
  for (int t = 0; t < 4; ++t)
    for (int f = 0; f < 8; ++f) {
      const double sine = std::sqrt(1.0 - node[t] * node[t]);
      const Vec3 n{sine * std::cos(f * pi / 4), sine * std::sin(f * pi / 4), node[t]};
      for (int i = 0; i < 16; ++i)
        for (int j = 0; j < 16; ++j) {
          const int li = static_cast<int>(std::sqrt(i));
          const int lj = static_cast<int>(std::sqrt(j));
          overlap[i][j] += weight[t] * pi / 4 * real_ylm(li, i - li * li, n) * real_ylm(lj, j - lj * lj, n);
        }
    }
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 16; ++j) EXPECT_NEAR(overlap[i][j], i == j ? 1.0 : 0.0, 1e-13) << i << " " << j;
}

TEST(SphericalHarmonics, OrderZeroVectorAndRange) {
  const Vec3 x{1, 0, 0};
  EXPECT_NEAR(real_ylm(1, 2, x), std::sqrt(0.75 / pi), 1e-15);
  EXPECT_EQ(real_ylm(1, 0, x), 0.0);
  EXPECT_GT(real_ylm(0, 0, {0, 0, 0}), 0.0);
  EXPECT_EQ(real_ylm(2, 2, {0, 0, 0}), 0.0);
  EXPECT_EQ(real_ylm(3, 4, {1, 2, 3}), real_ylm(3, 4, {2, 4, 6}));
  EXPECT_THROW((void)real_ylm(4, 0, x), Error);
  EXPECT_THROW((void)real_ylm(1, 3, x), Error);
}

}  // namespace
}  // namespace wavegrid::test_gth_potential
