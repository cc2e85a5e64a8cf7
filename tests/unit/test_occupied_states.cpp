// Occupations over k-points and spins, compared with those of one channel and with numbers of electrons.
#include <gtest/gtest.h>

#include <numeric>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/random.hpp>
#include <wavegrid/electrons/occupied_states.hpp>

namespace wavegrid::test_occupied_states {
namespace {

const std::vector<double> k_weights{0.25, 0.5, 0.25};
const StateTable with_spin{3, 2, 6};

/// Eigenvalues that differ from state to state and rise with the band.
std::vector<double> levels(const StateTable& table) {
  std::vector<double> values;
  for (int k = 0; k < table.num_k; ++k)
    for (int s = 0; s < table.spins; ++s)
      for (int b = 0; b < table.bands; ++b) values.push_back(0.1 * b + 0.03 * s + 0.02 * random_at({k, s, b}));
  return values;
}

double sum(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

TEST(OccupiedStates, EqualSpinsAreTheUnpolarisedCase) {
  const StateTable one{3, 1, 6};
  const std::vector<double> values = levels(one);
  std::vector<double> doubled;
  for (Index k = 0; k < 3; ++k)
    for (int spin = 0; spin < 2; ++spin)
      doubled.insert(doubled.end(), values.begin() + one.first(k, 0), values.begin() + one.first(k, 0) + 6);
  const Smearing smearing{SmearingKind::fermi_dirac, 0.02};
  const SpinOccupations plain = occupy_states(values, one, k_weights, {5.0, smearing});
  const SpinOccupations both = occupy_states(doubled, with_spin, k_weights, {5.0, smearing, 2});
  EXPECT_NEAR(plain.fermi[0], both.fermi[0], 1e-12);
  EXPECT_NEAR(plain.minus_ts, both.minus_ts, 1e-13);
  for (Index k = 0; k < 3; ++k)
    for (Index b = 0; b < 6; ++b)
      EXPECT_NEAR(plain.f[static_cast<std::size_t>(one.first(k, 0) + b)],
                  2 * both.f[static_cast<std::size_t>(with_spin.first(k, 1) + b)], 1e-13);
}

TEST(OccupiedStates, AFixedMomentHasItsElectronsInEachSpin) {
  for (const SmearingKind kind : {SmearingKind::fermi_dirac, SmearingKind::gaussian, SmearingKind::cold}) {
    const SpinOccupations filled = occupy_states(levels(with_spin), with_spin, k_weights, {7.0, {kind, 0.02}, 2, 1.5});
    ASSERT_EQ(filled.fermi.size(), 2u);
    double moment = 0;
    for (Index k = 0; k < 3; ++k)
      for (Index b = 0; b < 6; ++b)
        moment += filled.f[static_cast<std::size_t>(with_spin.first(k, 0) + b)] -
                  filled.f[static_cast<std::size_t>(with_spin.first(k, 1) + b)];
    EXPECT_NEAR(moment, 1.5, 1e-11);
    EXPECT_NEAR(sum(filled.f), 7.0, 1e-11);
  }
}

TEST(OccupiedStates, FixedOccupationsWithAMomentOccupyWholeBands) {
  const SpinOccupations filled =
      occupy_states(levels(with_spin), with_spin, k_weights, {6.0, {SmearingKind::fixed, 0}, 2, 2.0});
  for (Index k = 0; k < 3; ++k)
    for (int spin = 0; spin < 2; ++spin)
      for (Index b = 0; b < 6; ++b)
        EXPECT_EQ(filled.f[static_cast<std::size_t>(with_spin.first(k, spin) + b)],
                  b < (spin == 0 ? 4 : 2) ? k_weights[static_cast<std::size_t>(k)] : 0.0);
  EXPECT_THROW((void)occupy_states(levels(with_spin), with_spin, k_weights, {6.0, {SmearingKind::fixed, 0}, 2, 1.5}),
               Error);
}

TEST(OccupiedStates, SlopesAreTheDerivativeOfTheElectronCount) {
  const std::vector<double> values = levels(with_spin);
  const Electrons electrons{5.0, {SmearingKind::fermi_dirac, 0.02}, 2};
  const SpinOccupations filled = occupy_states(values, with_spin, k_weights, electrons);
  const std::vector<double> slopes = occupation_slopes(values, with_spin, k_weights, electrons, filled.fermi);
  // More electrons move the Fermi level by dN / sum of slopes.
  Electrons more = electrons;
  more.count += 1e-5;
  const double shift = occupy_states(values, with_spin, k_weights, more).fermi[0] - filled.fermi[0];
  EXPECT_NEAR(sum(slopes) * shift, 1e-5, 1e-9);
  EXPECT_EQ(sum(occupation_slopes(values, with_spin, k_weights, {6.0, {SmearingKind::fixed, 0}, 2}, filled.fermi)), 0);
}

TEST(OccupiedStates, GivenOccupationsFollowTheOrderOfTheLevels) {
  const StateTable table{2, 2, 3};
  const std::vector<double> values{0.3, 0.1, 0.2, 0.0, 0.1, 0.2, 0.1, 0.2, 0.3, 0.5, 0.4, 0.6}, weights{0.25, 0.75};
  Electrons electrons{3.0, {SmearingKind::fixed, 0}, 2};
  electrons.given = {{1, 0.5}, {0, 1, 0.4999}};  // 2.9999 electrons, scaled
  const SpinOccupations filled = occupy_states(values, table, weights, electrons);
  const std::vector<double> expected{0, 1, 0.5, 0, 1, 0.5, 1, 0.5, 0, 1, 0, 0.5};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(filled.f[i], expected[i] * weights[i / 6], 1e-4) << i;
  EXPECT_NEAR(sum(filled.f), 3.0, 1e-14);
  ASSERT_EQ(filled.fermi.size(), 1u);
  EXPECT_EQ(filled.fermi[0], 0.6);
  EXPECT_FALSE(filled.too_few_bands || filled.moment_limited);
  EXPECT_EQ(sum(occupation_slopes(values, table, weights, electrons, filled.fermi)), 0);
}

/// A full highest band limits a free moment, as long as there are fewer bands than electrons.
TEST(OccupiedStates, AFreeMomentIsLimitedByAFullBand) {
  const StateTable table{1, 2, 3};
  const std::vector<double> apart{0.0, 0.1, 0.2, 0.4, 0.5, 0.6}, together{0.0, 0.1, 0.2, 0.01, 0.11, 0.21};
  const Smearing fixed{SmearingKind::fixed, 0}, smeared{SmearingKind::gaussian, 0.01};
  const std::vector<double> gamma{1.0};
  EXPECT_TRUE(occupy_states(apart, table, gamma, {4.0, fixed, 2}).moment_limited);
  EXPECT_FALSE(occupy_states(together, table, gamma, {4.0, fixed, 2}).moment_limited);
  EXPECT_FALSE(occupy_states(apart, table, gamma, {3.0, fixed, 2}).moment_limited);  // one spin has all electrons
  EXPECT_FALSE(occupy_states(apart, table, gamma, {4.0, fixed, 2, 2.0}).moment_limited);
  EXPECT_FALSE(occupy_states(apart, table, gamma, {4.0, smeared, 2}).moment_limited);
  EXPECT_EQ(bands_with_empty_ones(apart, table, {4.0, fixed, 2}, std::vector<double>{0.4}), 4);
}

}  // namespace
}  // namespace wavegrid::test_occupied_states
