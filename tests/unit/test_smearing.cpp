// Occupations: known limits, the variational relation of the free energy, and the search for the Fermi level.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/random.hpp>
#include <wavegrid/electrons/smearing.hpp>

namespace wavegrid::test_smearing {
namespace {

constexpr SmearingKind smeared[] = {SmearingKind::fermi_dirac, SmearingKind::gaussian, SmearingKind::methfessel_paxton,
                                    SmearingKind::cold};

double total(const std::vector<double>& f) { return std::accumulate(f.begin(), f.end(), 0.0); }

struct Spectrum {
  std::vector<double> eigenvalues, weights;
};
/// Three k-points of unequal weight with nine bands each, a metal around zero.
Spectrum metal(int seed = 0) {
  Spectrum s;
  for (int k = 0; k < 3; ++k)
    for (int n = 0; n < 9; ++n) {
      s.eigenvalues.push_back(-0.2 + 0.05 * n + 0.02 * random_at({seed, k, n}));
      s.weights.push_back(k == 0 ? 0.5 : 0.25);
    }
  return s;
}

std::string message_of(const std::vector<double>& eigenvalues, double electrons, const Smearing& smearing) {
  try {
    (void)occupy(eigenvalues, std::vector<double>(eigenvalues.size(), 1.0), electrons, 2.0, smearing);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    return error.what();
  }
  return "accepted";
}

TEST(Smearing, LimitsAndValues) {
  for (const SmearingKind kind : smeared) {
    for (const double x : {-1e9, -60.0, 60.0, 1e9}) {
      EXPECT_EQ(occupation(kind, x), x > 0 ? 1.0 : 0.0);
      EXPECT_EQ(entropy_term(kind, x), 0.0);
    }
    EXPECT_NEAR(occupation(kind, -39.0), 0.0, 1e-16);
    EXPECT_NEAR(occupation(kind, 39.0), 1.0, 1e-15);
  }
  EXPECT_DOUBLE_EQ(occupation(SmearingKind::fermi_dirac, 1.0), 1.0 / (1.0 + std::exp(-1.0)));
  EXPECT_NEAR(entropy_term(SmearingKind::fermi_dirac, 0.0), -std::log(2.0), 1e-15);
  EXPECT_DOUBLE_EQ(occupation(SmearingKind::methfessel_paxton, 0.0), 0.5);
  EXPECT_DOUBLE_EQ(occupation(SmearingKind::cold, std::sqrt(0.5)), 0.5 + 1.0 / std::sqrt(2.0 * std::acos(-1.0)));
}

TEST(Smearing, EntropyDerivativeIsXTimesThatOfTheOccupation) {
  const double h = 1e-4;
  for (const SmearingKind kind : smeared)
    for (double x = -5.0; x <= 5.0; x += 0.37) {
      const double df = occupation(kind, x + h) - occupation(kind, x - h);
      const double ds = entropy_term(kind, x + h) - entropy_term(kind, x - h);
      EXPECT_NEAR(ds / (2 * h), x * df / (2 * h), 3e-8) << static_cast<int>(kind) << " at " << x;
    }
}

TEST(Smearing, FreeEnergyIsVariational) {
  const Spectrum s = metal();
  const double h = 1e-4;
  for (const SmearingKind kind : smeared) {
    const auto at = [&](double n) { return occupy(s.eigenvalues, s.weights, n, 2.0, {kind, 0.03}); };
    const Occupations less = at(7.3 - h), more = at(7.3 + h), middle = at(7.3);
    double change = more.minus_ts - less.minus_ts;
    for (std::size_t i = 0; i < s.eigenvalues.size(); ++i) change += s.eigenvalues[i] * (more.f[i] - less.f[i]);
    EXPECT_NEAR(change / (2 * h), middle.fermi, 1e-7) << static_cast<int>(kind);
  }
}

TEST(Smearing, ElectronsAddUp) {
  for (int seed = 0; seed < 50; ++seed) {
    const Spectrum s = metal(seed);
    for (const SmearingKind kind : smeared)
      for (const double width : {1e-6, 1e-3, 0.02, 0.3})
        for (const double electrons : {0.1, 2.0, 7.0, 11.37, 17.9}) {
          const Occupations o = occupy(s.eigenvalues, s.weights, electrons, 2.0, {kind, width});
          EXPECT_NEAR(total(o.f), electrons, 1e-11) << static_cast<int>(kind) << " " << width << " " << seed;
        }
  }
}

TEST(Smearing, FermiLevelStaysNearTheGaussianOne) {
  for (int seed = 0; seed < 50; ++seed) {
    const Spectrum s = metal(seed);
    for (const double width : {1e-3, 0.01, 0.05}) {
      const double gaussian = occupy(s.eigenvalues, s.weights, 7.0, 2.0, {SmearingKind::gaussian, width}).fermi;
      for (const SmearingKind kind : {SmearingKind::methfessel_paxton, SmearingKind::cold})
        EXPECT_NEAR(occupy(s.eigenvalues, s.weights, 7.0, 2.0, {kind, width}).fermi, gaussian, 6.0 * width);
    }
  }
}

TEST(Smearing, HalfFilledLevelHasItsOwnEnergyAsFermiLevel) {
  const std::vector<double> eigenvalues{-3.0, 0.25, 4.0}, weights(3, 1.0);
  for (const SmearingKind kind : {SmearingKind::fermi_dirac, SmearingKind::gaussian, SmearingKind::methfessel_paxton})
    EXPECT_NEAR(occupy(eigenvalues, weights, 3.0, 2.0, {kind, 0.01}).fermi, 0.25, 1e-10);
}

TEST(Smearing, InsulatorHasFullBandsAndAFermiLevelInTheGap) {
  const std::vector<double> eigenvalues{-1.0, -0.9, 0.5, -1.1, -0.8, 0.7}, weights(6, 0.5);
  for (const SmearingKind kind : smeared) {
    const Occupations o = occupy(eigenvalues, weights, 4.0, 2.0, {kind, 0.001});
    const std::vector<double> expected{1, 1, 0, 1, 1, 0};
    for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(o.f[i], expected[i], 1e-12);
    EXPECT_NEAR(o.fermi, -0.15, 0.1) << static_cast<int>(kind);
    EXPECT_NEAR(o.minus_ts, 0.0, 1e-12);
    EXPECT_FALSE(o.too_few_bands);
  }
}

TEST(Smearing, FixedOccupiesTheLowestBandsOfEachKPoint) {
  const std::vector<double> eigenvalues{0.3, -1.0, 0.1, 0.4, 0.5, 0.6}, weights(6, 0.5);
  const Occupations o = occupy(eigenvalues, weights, 4.0, 2.0, {SmearingKind::fixed, 0.0});
  EXPECT_EQ(o.f, (std::vector<double>{0, 1, 1, 1, 1, 0}));
  EXPECT_DOUBLE_EQ(o.fermi, 0.5);
  EXPECT_EQ(o.minus_ts, 0.0);
  const Occupations all = occupy(eigenvalues, weights, 6.0, 2.0, {SmearingKind::fixed, 0.0});
  EXPECT_DOUBLE_EQ(total(all.f), 6.0);
  EXPECT_FALSE(all.too_few_bands);
  EXPECT_DOUBLE_EQ(total(occupy(eigenvalues, weights, 0.0, 2.0, {SmearingKind::fixed, 0.0}).f), 0.0);
}

TEST(Smearing, TooFewBandsAreReported) {
  const std::vector<double> eigenvalues{-0.1, 0.0, 0.1};
  for (const SmearingKind kind : smeared) {
    const Occupations full = occupy(eigenvalues, std::vector<double>(3, 1.0), 6.0, 2.0, {kind, 0.01});
    EXPECT_NEAR(total(full.f), 6.0, 1e-11);
    EXPECT_TRUE(full.too_few_bands);
    EXPECT_NEAR(full.highest_occupation, 1.0, 1e-6);
    EXPECT_NEAR(total(occupy(eigenvalues, std::vector<double>(3, 1.0), 0.0, 2.0, {kind, 0.01}).f), 0.0, 1e-11);
  }
}

TEST(Smearing, MessagesNameValidValues) {
  const std::vector<double> two{0.0, 1.0};
  EXPECT_NE(message_of(two, 5.0, {SmearingKind::gaussian, 0.01}).find("at least 3 bands are needed"),
            std::string::npos);
  EXPECT_NE(message_of(two, 6.0, {SmearingKind::fixed, 0.01}).find("at least 3 bands are needed"), std::string::npos);
  EXPECT_NE(message_of(two, 3.0, {SmearingKind::fixed, 0.01}).find("multiple of 2"), std::string::npos);
  EXPECT_NE(message_of(two, 3.0, {SmearingKind::cold, 0.0}).find("must be positive"), std::string::npos);
  EXPECT_THROW((void)occupy(two, std::vector<double>{0.7, 0.7}, 1.0, 2.0, {}), Error);
  EXPECT_THROW((void)occupy(two, std::vector<double>{1.0}, 1.0, 2.0, {}), Error);
}

}  // namespace
}  // namespace wavegrid::test_smearing
