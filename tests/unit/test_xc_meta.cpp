// Meta-GGAs: the uniform gas, the hydrogen atom, derivatives, spin, and what is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <vector>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/random.hpp>
#include <wavegrid/xc/xc.hpp>

namespace wavegrid::test_xc_meta {
namespace {

constexpr double pi = std::numbers::pi;
const std::vector<std::string> names{"R2SCAN", "SCAN", "RSCAN", "TPSS", "REVTPSS", "MGGA_X_M06_L+MGGA_C_M06_L"};

struct Values {
  double energy;
  std::vector<double> vrho, vsigma, vtau;
};
Values evaluate(const Xc& xc, const std::vector<double>& rho, const std::vector<double>& sigma,
                const std::vector<double>& tau) {
  std::vector<double> exc(1, -1.0);
  Values v{0.0, std::vector<double>(rho.size(), -1.0), std::vector<double>(sigma.size(), -1.0),
           std::vector<double>(tau.size(), -1.0)};
  xc.evaluate({rho, sigma, tau}, {exc, v.vrho, v.vsigma, v.vtau});
  v.energy = exc[0];
  return v;
}

/// Of the uniform gas without spin, Ha/bohr^3.
double uniform_tau(double n) { return 0.3 * std::pow(3 * pi * pi, 2.0 / 3) * std::pow(n, 5.0 / 3); }

/// Spin densities, products of gradients, and kinetic-energy densities above those of one orbital.
struct Point {
  double up, down, uu, ud, dd, tau_up, tau_down;
  [[nodiscard]] double total() const { return up + down; }
  [[nodiscard]] double sigma() const { return uu + 2 * ud + dd; }
  [[nodiscard]] double tau() const { return tau_up + tau_down; }
};
const std::vector<Point> points{
    {0.3, 0.2, 0.1, 0.05, 0.08, 0.4, 0.3},      {0.01, 0.002, 1e-4, -2e-5, 3e-5, 0.003, 0.003},
    {2.0, 1.9, 5.0, 3.0, 4.0, 9.0, 8.0},        {1e-3, 3e-4, 1e-6, 1e-7, 4e-8, 3e-4, 4e-5},
    {0.05, 0.05, 0.02, 0.02, 0.02, 0.08, 0.08}, {0.004, 0.003, 1e-4, 8e-5, 7e-5, 0.006, 0.004}};

TEST(XcMeta, NamesAndNeeds) {
  EXPECT_EQ(Xc::parse("r2scan").name(), "MGGA_X_R2SCAN+MGGA_C_R2SCAN");
  for (const std::string& name : names) {
    EXPECT_TRUE(Xc::parse(name).needs_tau()) << name;
    EXPECT_TRUE(Xc::parse(name).needs_gradient()) << name;
    EXPECT_EQ(Xc::parse(name, 2).num_taus(), 2) << name;
  }
  EXPECT_FALSE(Xc::parse("PBE").needs_tau());
  EXPECT_TRUE(Xc::parse("GGA_C_PBE+MGGA_X_TPSS").needs_tau());
}

// J. Sun, A. Ruzsinszky, J. P. Perdew, Phys. Rev. Lett. 115, 036402 (2015), 10.1103/PhysRevLett.115.036402: SCAN and
// r2SCAN are exact for a uniform gas; so is TPSS.
TEST(XcMeta, TheUniformGas) {
  const Xc lda = Xc::parse("LDA_X+LDA_C_PW_MOD");
  for (const char* name : {"R2SCAN", "SCAN", "TPSS", "REVTPSS"})
    for (const double n : {0.001, 0.02, 0.3, 2.0}) {
      const Values found = evaluate(Xc::parse(name), {n}, {0.0}, {uniform_tau(n)});
      const std::vector<double> rho{n};
      std::vector<double> e(1), v(1);
      lda.evaluate(rho, e, v);
      EXPECT_NEAR(found.energy, e[0], 1e-6 * std::abs(e[0])) << name;
    }
}

// One orbital, n = exp(-2 r) / pi: exchange cancels the Hartree energy, 5/16 Ha, and there is no correlation. SCAN's
// parameter h0x is fitted to it.
TEST(XcMeta, TheHydrogenAtom) {
  for (const std::string name : {"R2SCAN", "SCAN", "TPSS"}) {
    double exchange = 0, correlation = 0;
    const Xc x = Xc::parse("MGGA_X_" + name, 2), c = Xc::parse("MGGA_C_" + name, 2);
    const double h = 0.005;
    for (double r = h / 2; r < 18; r += h) {
      const double n = std::exp(-2 * r) / pi, weight = 4 * pi * r * r * h;
      exchange += weight * evaluate(x, {n, 0}, {4 * n * n, 0, 0}, {n / 2, 0}).energy;
      correlation += weight * evaluate(c, {n, 0}, {4 * n * n, 0, 0}, {n / 2, 0}).energy;
    }
    EXPECT_NEAR(exchange, -0.3125, 2e-4) << name;
    EXPECT_NEAR(correlation, 0.0, 1e-5) << name;
  }
}

double moved_energy(const Xc& xc, const Point& p, std::size_t which, double step) {
  std::vector<double> rho{p.up, p.down}, sigma{p.uu, p.ud, p.dd}, tau{p.tau_up, p.tau_down};
  if (xc.spins() == 1) rho = {p.total()}, sigma = {p.sigma()}, tau = {p.tau()};
  std::vector<double>& list = which < rho.size() ? rho : which < rho.size() + sigma.size() ? sigma : tau;
  const std::size_t before = which < rho.size()                  ? 0
                             : which < rho.size() + sigma.size() ? rho.size()
                                                                 : rho.size() + sigma.size();
  list[which - before] *= 1 + step;
  return evaluate(xc, rho, sigma, tau).energy;
}

TEST(XcMeta, DerivativesAreThoseOfTheEnergy) {
  for (const std::string& name : names)
    for (const int spins : {1, 2}) {
      const Xc xc = Xc::parse(name, spins);
      for (const Point& p : points) {
        std::vector<double> at{p.up, p.down, p.uu, p.ud, p.dd, p.tau_up, p.tau_down}, expected;
        if (spins == 1) at = {p.total(), p.sigma(), p.tau()};
        const Values v = spins == 1 ? evaluate(xc, {p.total()}, {p.sigma()}, {p.tau()})
                                    : evaluate(xc, {p.up, p.down}, {p.uu, p.ud, p.dd}, {p.tau_up, p.tau_down});
        for (const auto* list : {&v.vrho, &v.vsigma, &v.vtau})
          expected.insert(expected.end(), list->begin(), list->end());
        for (std::size_t i = 0; i < at.size(); ++i) {
          // libxc limits |sigma_ud| to the mean of the others: there is no derivative at the limit.
          if (spins == 2 && i >= 2 && i < 5 && std::abs(p.ud) > 0.49 * (p.uu + p.dd)) continue;
          const double h = 1e-3;
          const auto e = [&](double step) { return moved_energy(xc, p, i, step * h); };
          const double slope = (8 * (e(1) - e(-1)) - e(2) + e(-2)) / (12 * h * at[i]);
          EXPECT_NEAR(slope, expected[i], 1e-6 * std::abs(expected[i]) + 1e-11 * std::abs(v.energy / (h * at[i])))
              << name << ", " << spins << " spins, argument " << i;
        }
      }
    }
}

TEST(XcMeta, WithoutMagnetisationSpinChangesNothing) {
  for (const std::string& name : names) {
    const Xc one = Xc::parse(name, 1), two = Xc::parse(name, 2);
    for (const Point& p : points) {
      const double n = p.total(), sigma = p.sigma(), tau = p.tau();
      const Values a = evaluate(one, {n}, {sigma}, {tau});
      const Values b = evaluate(two, {n / 2, n / 2}, {sigma / 4, sigma / 4, sigma / 4}, {tau / 2, tau / 2});
      EXPECT_NEAR(a.energy, b.energy, 1e-12 * std::abs(a.energy)) << name;
      for (const std::size_t s : {0, 1}) {
        EXPECT_NEAR(a.vrho[0], b.vrho[s], 1e-9 * std::abs(a.vrho[0])) << name;
        EXPECT_NEAR(a.vtau[0], b.vtau[s], 1e-9) << name;
      }
      const double slope = (b.vsigma[0] + b.vsigma[1] + b.vsigma[2]) / 4;
      EXPECT_NEAR(a.vsigma[0], slope, 1e-9 * std::abs(a.vsigma[0]) + 1e-12) << name;
    }
  }
}

TEST(XcMeta, EmptySpaceAndNegativeValuesAreSafe) {
  for (const std::string& name : names)
    for (const std::vector<double>& rho : {std::vector{0.0, 0.0}, {-1.0, -1e-30}, {0.1, -0.3}, {1e-7, 0.0}, {1e-13, 0}})
      for (const double tau : {-1e-9, 0.0, 1e-3}) {
        const Values v = evaluate(Xc::parse(name, 2), rho, {1e-4, 0, 0}, {tau, -tau});
        EXPECT_TRUE(std::isfinite(v.energy));
        if (rho[0] <= 0) {
          EXPECT_EQ(v.energy, 0.0);
        }
        for (const auto* list : {&v.vrho, &v.vsigma, &v.vtau})
          for (const double value : *list) EXPECT_TRUE(std::isfinite(value)) << name << " at " << rho[0];
      }
}

TEST(XcMeta, LongArraysAreDividedCorrectly) {
  const Xc xc = Xc::parse("R2SCAN", 2);
  const std::size_t n = 601;
  std::vector<double> rho, sigma, tau, exc(n), vrho(2 * n), vsigma(3 * n), vtau(2 * n);
  for (std::size_t i = 0; i < n; ++i) {
    const Point& p = points[i * 5 % points.size()];
    rho.insert(rho.end(), {p.up, p.down});
    sigma.insert(sigma.end(), {p.uu, p.ud, p.dd});
    tau.insert(tau.end(), {p.tau_up, p.tau_down});
  }
  xc.evaluate({rho, sigma, tau}, {exc, vrho, vsigma, vtau});
  std::vector<double> energy_alone(n);
  xc.evaluate({rho, sigma, tau}, {energy_alone, {}, {}});
  for (std::size_t i = 0; i < n; ++i) {
    const Point& p = points[i * 5 % points.size()];
    const Values one = evaluate(xc, {p.up, p.down}, {p.uu, p.ud, p.dd}, {p.tau_up, p.tau_down});
    EXPECT_NEAR(energy_alone[i], exc[i], 1e-14 * std::abs(exc[i]));
    EXPECT_EQ(exc[i], one.energy);
    EXPECT_EQ(vtau[2 * i + 1], one.vtau[1]);
  }
}

/// Densities of 1e-9 to 1e3 electrons/bohr^3 with reduced gradients of 1e-3 to 10 and alpha from 0 to 10.
void expect_same_as_libxc(const std::string& exchange, const std::string& correlation) {
  std::vector<double> rho, sigma, tau;
  for (std::int64_t i = 0; i < 10007; ++i) {
    const double n = std::pow(10.0, -3 + 6 * random_at({i, 1})), s = std::pow(10.0, -1 + 2 * random_at({i, 2}));
    const double kf = std::cbrt(3 * pi * pi * n), alpha = std::max(0.0, 4 + 6 * random_at({i, 3}));
    rho.push_back(n);
    sigma.push_back(std::pow(2 * kf * n * s, 2));
    tau.push_back(sigma.back() / (8 * n) * (1 + 1e-9) + alpha * uniform_tau(n));
  }
  const std::size_t n = rho.size();
  std::array<std::vector<std::vector<double>>, 3> results;  // of exchange and correlation by libxc, and both by us
  const std::string parts[]{exchange, correlation, exchange + "+" + correlation};
  for (std::size_t k = 0; k < 3; ++k) {
    results[k].assign(4, std::vector<double>(n));
    Xc::parse(parts[k]).evaluate({rho, sigma, tau}, {results[k][0], results[k][1], results[k][2], results[k][3]});
  }
  const auto& [x, c, both] = results;
  for (std::size_t q = 0; q < 4; ++q) {
    const double rounding = q == 3 ? 1e-13 : 1e-14;  // de/dtau has no unit
    for (std::size_t i = 0; i < n; ++i)
      ASSERT_NEAR(both[q][i], x[q][i] + c[q][i], 1e-9 * (std::abs(x[q][i]) + std::abs(c[q][i])) + rounding)
          << exchange << ", quantity " << q << " at n " << rho[i] << ", sigma " << sigma[i] << ", tau " << tau[i];
  }
}

TEST(XcMeta, KernelsOfManyPointsEqualLibxc) {
  for (const std::string name : {"R2SCAN", "SCAN", "RSCAN", "TPSS", "REVTPSS"})
    expect_same_as_libxc("MGGA_X_" + name, "MGGA_C_" + name);
}

std::string message_of(const std::string& name) {
  try {
    (void)Xc::parse(name);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    return error.what();
  }
  return "accepted";
}

TEST(XcMeta, WhatIsMissingIsNamed) {
  EXPECT_NE(message_of("MGGA_X_SCANL").find("MGGA_X_SCANL needs the Laplacian of the density"), std::string::npos);
  EXPECT_NE(message_of("MGGA_X_SCAN+MGGA_C_SCAN_RVV10").find("nonlocal correlation VV10"), std::string::npos);
  EXPECT_NE(message_of("MGGA_X_TB09").find("with a potential"), std::string::npos);
  EXPECT_NE(message_of("R2SCN").find("R2SCAN"), std::string::npos);
  EXPECT_NE(message_of("MGGA_X_SCON").find("MGGA_X_SCAN"), std::string::npos);
  EXPECT_EQ(message_of("MGGA_X_M11_L+MGGA_C_M11_L"), "accepted");
}

}  // namespace
}  // namespace wavegrid::test_xc_meta
