// Gradients and spin: PBE by its published formulas, limits, exact conditions and derivatives.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <wavegrid/base/random.hpp>
#include <wavegrid/xc/xc.hpp>

namespace wavegrid::test_xc_gga {
namespace {

constexpr double pi = std::numbers::pi;

struct Values {
  double energy;
  std::vector<double> vrho, vsigma;
};
Values evaluate(const Xc& xc, const std::vector<double>& rho, std::vector<double> sigma = {}) {
  sigma.resize(static_cast<std::size_t>(xc.num_sigmas()));
  std::vector<double> exc(1, -1.0);
  Values v{0.0, std::vector<double>(rho.size(), -1.0), std::vector<double>(sigma.size(), -1.0)};
  xc.evaluate({rho, sigma}, {exc, v.vrho, v.vsigma});
  v.energy = exc[0];
  return v;
}

/// Spin densities and products of gradients: low and high, flat and steep, parallel and antiparallel.
struct Point {
  double up, down, uu, ud, dd;
  double total() const { return up + down; }
  double sigma() const { return uu + 2 * ud + dd; }
};
const std::vector<Point> points{{0.3, 0.2, 0.1, 0.05, 0.08},     {0.01, 0.002, 1e-4, -2e-5, 3e-5},
                                {2.0, 1.9, 5.0, 3.0, 4.0},       {1e-4, 3e-5, 1e-9, 1e-10, 4e-10},
                                {0.05, 0.05, 0.02, 0.02, 0.02},  {0.08, 0.001, 0.003, 1e-5, 1e-6},
                                {0.004, 0.003, 1e-2, 8e-3, 7e-3}};

double kf(double n) { return std::cbrt(3 * pi * pi * n); }

// J. P. Perdew, K. Burke, M. Ernzerhof, Phys. Rev. Lett. 77, 3865 (1996), 10.1103/PhysRevLett.77.3865:
// exchange by equations 10, 13 and 14, correlation by 3, 7 and 8.
double pbe_exchange(double n, double sigma) {
  const double kappa = 0.804, mu = 0.2195149727645171, s2 = sigma / std::pow(2 * kf(n) * n, 2);
  return -0.75 * kf(n) / pi * n * (1 + kappa - kappa / (1 + mu * s2 / kappa));
}
double pbe_gradient_correlation(double n, double zeta, double sigma, double uniform) {
  const double beta = 0.06672455060314922, gamma = (1 - std::log(2.0)) / (pi * pi);
  const double phi = (std::pow(1 + zeta, 2.0 / 3) + std::pow(1 - zeta, 2.0 / 3)) / 2, phi3 = phi * phi * phi;
  const double t2 = sigma / (4 * phi * phi * 4 * kf(n) / pi * n * n);
  const double a = beta / gamma / (std::exp(-uniform / (gamma * phi3)) - 1);
  return n * gamma * phi3 * std::log(1 + beta / gamma * t2 * (1 + a * t2) / (1 + a * t2 + a * a * t2 * t2));
}

TEST(XcGga, PbeExchangeByItsFormula) {
  const Xc one = Xc::parse("GGA_X_PBE", 1), two = Xc::parse("GGA_X_PBE", 2);
  for (const Point& p : points) {
    const double plain = pbe_exchange(p.total(), p.sigma());
    EXPECT_NEAR(evaluate(one, {p.total()}, {p.sigma()}).energy, plain, 1e-12 * std::abs(plain));
    const double polarised = (pbe_exchange(2 * p.up, 4 * p.uu) + pbe_exchange(2 * p.down, 4 * p.dd)) / 2;
    EXPECT_NEAR(evaluate(two, {p.up, p.down}, {p.uu, p.ud, p.dd}).energy, polarised, 1e-12 * std::abs(polarised));
  }
}

TEST(XcGga, PbeCorrelationByItsFormula) {
  const Xc one = Xc::parse("GGA_C_PBE", 1), two = Xc::parse("GGA_C_PBE", 2);
  const Xc uniform_one = Xc::parse("LDA_C_PW_MOD", 1), uniform_two = Xc::parse("LDA_C_PW_MOD", 2);
  for (const Point& p : points) {
    const double n = p.total(), flat = evaluate(uniform_one, {n}).energy;
    EXPECT_NEAR(evaluate(one, {n}, {p.sigma()}).energy, flat + pbe_gradient_correlation(n, 0, p.sigma(), flat / n),
                1e-11 * std::abs(flat));
    const double polarised = evaluate(uniform_two, {p.up, p.down}).energy, zeta = (p.up - p.down) / n;
    EXPECT_NEAR(evaluate(two, {p.up, p.down}, {p.uu, p.ud, p.dd}).energy,
                polarised + pbe_gradient_correlation(n, zeta, p.sigma(), polarised / n), 1e-11 * std::abs(polarised));
  }
}

/// Densities of 1e-16 to 1e3 electrons/bohr^3 with reduced gradients of 1e-4 to 100.
void make_points(std::vector<double>& rho, std::vector<double>& sigma) {
  for (std::int64_t i = 0; i < 10007; ++i) {
    rho.push_back(std::pow(10.0, -6.5 + 9.5 * random_at({i, 1})));
    sigma.push_back(std::pow(2 * kf(rho.back()) * rho.back() * std::pow(10.0, -1 + 3 * random_at({i, 2})), 2));
  }
}

TEST(XcGga, PbeOfManyPointsEqualsLibxc) {
  std::vector<double> rho, sigma;
  make_points(rho, sigma);
  const std::size_t n = rho.size();
  std::array<std::vector<std::vector<double>>, 3>
      results;  // of exchange and of correlation by libxc, and of both by us
  const char* names[]{"GGA_X_PBE", "GGA_C_PBE", "PBE"};
  for (std::size_t k = 0; k < 3; ++k) {
    results[k].assign(3, std::vector<double>(n));
    Xc::parse(names[k]).evaluate({rho, sigma}, {results[k][0], results[k][1], results[k][2]});
  }
  const auto& [x, c, both] = results;
  for (std::size_t q = 0; q < 3; ++q)
    for (std::size_t i = 0; i < n; ++i)
      // Where a small density makes correlation small, too, libxc's own logarithms lose as many digits.
      ASSERT_NEAR(both[q][i], x[q][i] + c[q][i], 1e-11 * (std::abs(x[q][i]) + std::abs(c[q][i])))
          << "quantity " << q << " at n " << rho[i] << ", sigma " << sigma[i];
}

TEST(XcGga, Pbe0HasPartOfTheExchangeOfPbe) {
  const double share = 0.6;  // of exact exchange
  Xc hybrid = Xc::parse("PBE0"), with_spin = Xc::parse("PBE0", 2);
  hybrid.set_hybrid({.fraction = share});
  with_spin.set_hybrid({.fraction = share});
  for (const Point& point : points) {
    const double n = point.total(), sigma = point.sigma();
    const Values both = evaluate(hybrid, {n}, {sigma}), x = evaluate(Xc::parse("GGA_X_PBE"), {n}, {sigma}),
                 c = evaluate(Xc::parse("GGA_C_PBE"), {n}, {sigma});
    const Values spins = evaluate(with_spin, {n / 2, n / 2}, {sigma / 4, sigma / 4, sigma / 4});  // libxc's own
    const auto near = [](double found, double expected) { EXPECT_NEAR(found, expected, 1e-11 * std::abs(expected)); };
    near(both.energy, (1 - share) * x.energy + c.energy);
    near(both.vrho[0], (1 - share) * x.vrho[0] + c.vrho[0]);
    near(both.vsigma[0], (1 - share) * x.vsigma[0] + c.vsigma[0]);
    near(both.energy, spins.energy);
    near(both.vrho[0], spins.vrho[0]);
  }
}

TEST(XcGga, PbeOfAPointDoesNotDependOnItsPosition) {
  std::vector<double> rho, sigma;
  make_points(rho, sigma);
  rho[77] = -1e-3, sigma[77] = 1.0;
  const Xc pbe = Xc::parse("PBE");
  std::vector<double> energy(rho.size()), vrho(energy), vsigma(energy), alone(energy);
  pbe.evaluate({rho, sigma}, {energy, vrho, vsigma});
  pbe.evaluate({rho, sigma}, {alone, {}, {}});
  EXPECT_EQ(alone, energy);
  for (std::size_t i = 70; i < 270; ++i) {
    const Values v = evaluate(pbe, {rho[i]}, {sigma[i]});
    EXPECT_EQ(v.energy, energy[i]);
    EXPECT_EQ(v.vrho[0], vrho[i]);
    EXPECT_EQ(v.vsigma[0], vsigma[i]);
  }
  EXPECT_EQ(energy[77], 0.0);
  EXPECT_EQ(vrho[77], 0.0);
}

// D. M. Ceperley, B. J. Alder, Phys. Rev. Lett. 45, 566 (1980), as parametrised by J. P. Perdew, Y. Wang, Phys. Rev. B
// 45, 13244 (1992), 10.1103/PhysRevB.45.13244: -eps_c in mHa of the paramagnetic and the ferromagnetic gas.
TEST(XcGga, CorrelationOfTheUniformGas) {
  struct Row {
    double rs, para, ferro;
  };
  const Xc c = Xc::parse("LDA_C_PW", 2);
  for (const Row& row : {Row{2, 44.8, 24.0}, Row{5, 28.2, 15.5}, Row{10, 18.6, 10.5}}) {
    const double n = 3 / (4 * pi * row.rs * row.rs * row.rs);
    EXPECT_NEAR(-1e3 * evaluate(c, {n / 2, n / 2}).energy / n, row.para, 0.2);
    EXPECT_NEAR(-1e3 * evaluate(c, {n, 0.0}).energy / n, row.ferro, 0.2);
  }
}

TEST(XcGga, WithoutGradientPbeIsTheUniformGas) {
  for (const int spins : {1, 2}) {
    const Xc pbe = Xc::parse("PBE", spins), lda = Xc::parse("LDA_X+LDA_C_PW_MOD", spins);
    for (const Point& p : points) {
      const std::vector<double> rho = spins == 1 ? std::vector{p.total()} : std::vector{p.up, p.down};
      const Values a = evaluate(pbe, rho), b = evaluate(lda, rho);
      EXPECT_NEAR(a.energy, b.energy, 1e-12 * std::abs(b.energy));
      for (std::size_t s = 0; s < rho.size(); ++s) EXPECT_NEAR(a.vrho[s], b.vrho[s], 1e-11 * std::abs(b.vrho[s]));
    }
  }
}

TEST(XcGga, WithoutMagnetisationSpinChangesNothing) {
  for (const char* name : {"PBE", "pbesol", "BLYP", "LDA-PZ", "LDA-PW", "Teter"}) {
    const Xc one = Xc::parse(name, 1), two = Xc::parse(name, 2);
    for (const Point& p : points) {
      const double n = p.total(), sigma = p.sigma();
      const Values a = evaluate(one, {n}, {sigma});
      const Values b = evaluate(two, {n / 2, n / 2}, {sigma / 4, sigma / 4, sigma / 4});
      EXPECT_NEAR(a.energy, b.energy, 1e-12 * std::abs(a.energy)) << name;
      for (const double v : b.vrho) EXPECT_NEAR(a.vrho[0], v, 1e-11 * std::abs(a.vrho[0])) << name;
      if (two.needs_gradient()) {
        const double slope = (b.vsigma[0] + b.vsigma[1] + b.vsigma[2]) / 4;
        EXPECT_NEAR(a.vsigma[0], slope, 1e-10 * std::abs(a.vsigma[0])) << name;
      }
    }
  }
}

// G. L. Oliver, J. P. Perdew, Phys. Rev. A 20, 397 (1979), 10.1103/PhysRevA.20.397: E_x[n, 0] = E_x[2 n] / 2.
TEST(XcGga, ExchangeOfOneSpinScales) {
  for (const char* name : {"LDA_X", "GGA_X_PBE", "GGA_X_B88"}) {
    const Xc one = Xc::parse(name, 1), two = Xc::parse(name, 2);
    for (const Point& p : points) {
      const Values full = evaluate(two, {p.up, 0.0}, {p.uu, 0.0, 0.0}), plain = evaluate(one, {2 * p.up}, {4 * p.uu});
      EXPECT_NEAR(full.energy, plain.energy / 2, 1e-10 * std::abs(plain.energy)) << name;  // the threshold of 1e-15
      EXPECT_NEAR(full.vrho[0], plain.vrho[0], 1e-10 * std::abs(plain.vrho[0])) << name;
    }
  }
}

double moved_energy(const Xc& xc, std::vector<double> rho, std::vector<double> sigma, std::size_t which, double step) {
  (which < rho.size() ? rho[which] : sigma[which - rho.size()]) += step;
  return evaluate(xc, rho, sigma).energy;
}

TEST(XcGga, DerivativesAreThoseOfTheEnergy) {
  for (const char* name : {"PBE", "PBEsol", "BLYP", "PW91", "LDA-PW"})
    for (const int spins : {1, 2}) {
      const Xc xc = Xc::parse(name, spins);
      for (const Point& p : points) {
        const std::vector<double> rho = spins == 1 ? std::vector{p.total()} : std::vector{p.up, p.down};
        std::vector<double> sigma;
        if (xc.needs_gradient()) sigma = spins == 1 ? std::vector{p.sigma()} : std::vector{p.uu, p.ud, p.dd};
        const Values v = evaluate(xc, rho, sigma);
        for (std::size_t i = 0; i < rho.size() + sigma.size(); ++i) {
          const bool density = i < rho.size();
          const double at = density ? rho[i] : sigma[i - rho.size()], h = 1e-3 * std::abs(at);
          // libxc limits |sigma_ud| to the mean of the others: there is no derivative at the limit.
          if (!density && spins == 2 && std::abs(sigma[1]) > 0.49 * (sigma[0] + sigma[2])) continue;
          const auto e = [&](double step) { return moved_energy(xc, rho, sigma, i, step * h); };
          const double slope = (8 * (e(1) - e(-1)) - e(2) + e(-2)) / (12 * h);
          const double expected = density ? v.vrho[i] : v.vsigma[i - rho.size()];
          EXPECT_NEAR(slope, expected, 1e-7 * std::abs(expected) + 1e-11 * std::abs(v.energy) / h)
              << name << ", " << spins << " spins, " << (density ? "density " : "sigma ") << i;
        }
      }
    }
}

TEST(XcGga, EmptyChannelsAreSafe) {
  for (const char* name : {"PBE", "BLYP", "PW91", "LDA-PW"}) {
    const Xc xc = Xc::parse(name, 2);
    for (const std::vector<double>& rho : {std::vector{0.0, 0.0}, {-1.0, -1e-30}, {1e-300, 0.0}}) {
      const Values v = evaluate(xc, rho, {1e-4, 1e-5, 1e-4});
      EXPECT_EQ(v.energy, 0.0);
      for (const auto* list : {&v.vrho, &v.vsigma})
        for (const double value : *list) EXPECT_EQ(value, 0.0);
    }
    const Values below = evaluate(xc, {0.1, -0.3}, {1e-3, 0, 0}), empty = evaluate(xc, {0.1, 0.0}, {1e-3, 0, 0});
    const Values nearly = evaluate(xc, {0.1, 1e-11}, {1e-3, 0, 0});
    EXPECT_EQ(below.energy, empty.energy);
    EXPECT_EQ(below.vrho, empty.vrho);
    EXPECT_NEAR(empty.energy, nearly.energy, 1e-10);
    for (const std::size_t s : {0, 1}) {
      EXPECT_LT(std::abs(empty.vrho[s]), 5.0) << name;
      // PBE's phi grows without bound there, as (1 - zeta)^(-1/3): only the others have a limit.
      if (name == std::string("BLYP") || name == std::string("LDA-PW")) {
        EXPECT_NEAR(empty.vrho[s], nearly.vrho[s], 2e-3) << name;  // cbrt(1e-11)
      }
    }
  }
}

TEST(XcGga, LongArraysAreDividedCorrectly) {
  const Xc xc = Xc::parse("PBE", 2);
  const std::size_t n = 601;
  std::vector<double> rho, sigma, exc(n), vrho(2 * n), vsigma(3 * n);
  for (std::size_t i = 0; i < n; ++i) {
    const Point& p = points[i * 5 % points.size()];
    rho.insert(rho.end(), {p.up, p.down});
    sigma.insert(sigma.end(), {p.uu, p.ud, p.dd});
  }
  xc.evaluate({rho, sigma}, {exc, vrho, vsigma});
  std::vector<double> energy_alone(n);
  xc.evaluate({rho, sigma}, {energy_alone, {}, {}});
  for (std::size_t i = 0; i < n; ++i) {
    EXPECT_NEAR(energy_alone[i], exc[i], 1e-14 * std::abs(exc[i]));
    const Point& p = points[i * 5 % points.size()];
    const Values one = evaluate(xc, {p.up, p.down}, {p.uu, p.ud, p.dd});
    EXPECT_EQ(exc[i], one.energy);
    EXPECT_EQ(vrho[2 * i + 1], one.vrho[1]);
    EXPECT_EQ(vsigma[3 * i + 2], one.vsigma[2]);
  }
}

}  // namespace
}  // namespace wavegrid::test_xc_gga
