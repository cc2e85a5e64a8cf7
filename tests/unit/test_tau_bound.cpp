// Meta-GGAs below the bound of the kinetic-energy density: nothing changes above it, the continuation is smooth, and
// its derivatives are those of its energy.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include <wavegrid/xc/tau_bound.hpp>

namespace wavegrid::test_tau_bound {
namespace {

struct Result {
  double energy = 0;
  std::vector<double> derivatives{};  ///< by rho, sigma and tau
};

/// `at`: rho, sigma and tau of one point. Evaluated in the second of two points, the first of which is above the bound.
Result evaluate(const Xc& xc, const std::vector<double>& at, bool bounded) {
  const auto spins = static_cast<std::size_t>(xc.spins()), sigmas = static_cast<std::size_t>(xc.num_sigmas());
  const auto two_points = [&](std::size_t begin, std::size_t count, double first) {
    std::vector<double> values(count, first);
    values.insert(values.end(), at.begin() + long(begin), at.begin() + long(begin + count));
    return values;
  };
  const std::vector<double> rho = two_points(0, spins, 0.3), sigma = two_points(spins, sigmas, 0.01),
                            tau = two_points(spins + sigmas, spins, 0.5);
  std::vector<double> e(2), vrho(2 * spins), vsigma(2 * sigmas), vtau(2 * spins);
  if (bounded)
    evaluate_bounded(xc, {rho, sigma, tau}, {e, vrho, vsigma, vtau});
  else
    xc.evaluate({rho, sigma, tau}, {e, vrho, vsigma, vtau});
  Result found{e[1]};
  for (const auto& list : {vrho, vsigma, vtau})
    found.derivatives.insert(found.derivatives.end(), list.begin() + long(list.size() / 2), list.end());
  return found;
}

const std::vector<std::string> names{"R2SCAN", "SCAN", "RSCAN", "TPSS", "REVTPSS"};

/// Without spin; |grad n|^2 / (8 n) is 0.025.
std::vector<double> point(double tau) { return {0.2, 0.04, tau}; }
/// With spin; the bounds are 0.025 and 0.05.
std::vector<double> point(double tau_up, double tau_down) { return {0.1, 0.05, 0.02, 0.01, 0.02, tau_up, tau_down}; }

/// With spin; of the sparse channel the bound, 1.25e-3, is far above tau of the uniform gas, 6.2e-5.
std::vector<double> sparse(double tau) { return {0.1, 1e-3, 0.02, -1e-4, 1e-5, 0.06, tau}; }

TEST(TauBound, NothingChangesAboveIt) {
  for (const std::string& name : names) {
    const Xc one = Xc::parse(name), two = Xc::parse(name, 2);
    EXPECT_EQ(evaluate(one, point(0.026), true).derivatives, evaluate(one, point(0.026), false).derivatives) << name;
    EXPECT_EQ(evaluate(two, point(0.03, 0.06), true).derivatives, evaluate(two, point(0.03, 0.06), false).derivatives);
  }
}

TEST(TauBound, IsSmooth) {
  for (const std::string& name : names) {
    const Xc xc = Xc::parse(name);
    const Result below = evaluate(xc, point(0.025 - 1e-9), true), above = evaluate(xc, point(0.025 + 1e-9), true);
    EXPECT_NEAR(below.energy, above.energy, 1e-8) << name;
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_NEAR(below.derivatives[i], above.derivatives[i], 1e-5 * std::abs(above.derivatives[i])) << name << i;
  }
}

TEST(TauBound, DerivativesAreThoseOfTheEnergy) {
  for (const std::string& name : names)
    for (const auto& at : {point(0.02), point(-0.01), point(0.02, 0.06), point(0.03, -0.01), sparse(-1e-4),
                           sparse(1e-4), sparse(6e-4)}) {
      const Xc xc = Xc::parse(name, at.size() == 3 ? 1 : 2);
      const Result found = evaluate(xc, at, true);
      for (std::size_t i = 0; i < at.size(); ++i) {
        const double h = 1e-3 * std::abs(at[i]);
        const auto e = [&](double steps) {
          std::vector<double> moved(at);
          moved[i] += steps * h;
          return evaluate(xc, moved, true).energy;
        };
        const double slope = (8 * (e(1) - e(-1)) - e(2) + e(-2)) / (12 * h);
        EXPECT_NEAR(found.derivatives[i], slope, 1e-7 + 1e-6 * std::abs(slope)) << name << " " << at.size() << " " << i;
      }
    }
}

/// Where mixing leaves nearly nothing of a channel with a gradient, no derivative is large.
TEST(TauBound, ASparseChannelHasABoundedPotential) {
  for (const std::string& name : names) {
    const Xc xc = Xc::parse(name, 2);
    for (const double n : {1e-5, 1e-7, 1e-9, 1e-11, 1e-13, -1e-5}) {
      const Result found = evaluate(xc, {0.01, n, 1e-4, -1e-5, 1e-5, 0.01, 1e-4}, true);
      EXPECT_LT(std::abs(found.derivatives[0]), 500) << name << " " << n;
      EXPECT_LT(std::abs(found.derivatives[1]), 500) << name << " " << n;
      for (const std::size_t tau : {5, 6}) EXPECT_LT(std::abs(found.derivatives[tau]), 10) << name << " " << n;
    }
  }
}

TEST(TauBound, VacuumHasNone) {
  const Xc xc = Xc::parse("SCAN");
  for (const std::vector<double>& at : {std::vector<double>{0, 1e-20, -1e-20}, {-1e-9, 1e-12, -1e-10}}) {
    const Result found = evaluate(xc, at, true);
    EXPECT_EQ(found.energy, 0);
    for (const double value : found.derivatives) EXPECT_TRUE(std::isfinite(value));
  }
}

}  // namespace
}  // namespace wavegrid::test_tau_bound
