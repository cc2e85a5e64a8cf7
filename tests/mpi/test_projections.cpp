// Projections of bands onto the orbitals of the atoms: for any layout, with and without symmetry, and bounded by 1.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <wavegrid/calculation/session.hpp>
#include <wavegrid/problem/choose_kpoints.hpp>
#include <wavegrid/pseudo/gth_table.hpp>

#include "of_one_rank.hpp"

namespace wavegrid::test_projections {
namespace {

/// Si2 in a strained cell, so that its atoms are equivalent but x, y and z are not.
Problem silicon(bool symmetry) {
  static const GthTable table(std::string(WAVEGRID_SOURCE_DIR) + "/python/wavegrid/data/pseudopotentials/gth-lda.gth");
  Problem p{.crystal = {Lattice({{{0, 5.13, 5.4}, {5.13, 0, 5.4}, {5.13, 5.13, 0}}}),
                        {"Si"},
                        {{0, {0.13, 0.13, 0.12}}, {0, {-0.13, -0.13, -0.12}}}},
            .pseudopotentials = {std::make_shared<GthPotential>(table.find("Si"))},
            .scf = {}};
  p.ecut = 4;
  p.grid = {15, 15, 15};
  p.bands = 8;
  p.smearing = {SmearingKind::fermi_dirac, 0.01};
  p.scf.energy_tolerance = 1e-11;
  p.transport = Transport::alltoallv;
  p.precision = Precision::double_only;
  p.mode = Mode::complex;
  KPointChoice choice = choose_kpoints(p.crystal, {}, {p.grid}, {{2, 2, 2}, {0, 0, 0}}, symmetry);
  p.kpoints = std::move(choice.points);
  p.symmetry = std::move(choice.group);
  p.projections = true;
  return p;
}

/// Electrons in each channel, which do not depend on the vectors chosen in degenerate spaces.
std::vector<double> electrons_of(const CalculationResult& result) {
  const Projections& found = result.projections.value();
  std::vector<double> sums(found.channels.size(), 0.0);
  for (std::size_t i = 0; i < found.weights.size(); ++i)
    sums[i % sums.size()] += found.weights[i] * result.scf.occupations[i / sums.size()];
  return sums;
}

void expect_near(const std::vector<double>& found, const std::vector<double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 2e-5) << "channel " << i;
}

TEST(Projections, AgreeForEveryLayoutAndAddUpToAtMostOne) {
  Problem problem = silicon(true);
  ASSERT_GT(problem.symmetry.size(), 1);
  const auto alone = of_one_rank::calculation(problem);
  std::vector<double> expected(4, 0.0);  // s and p of two atoms
  if (alone) expected = electrons_of(*alone);
  Comm::world().broadcast(std::span<double>(expected));
  EXPECT_GT(2 * (expected[0] + expected[1]), 0.98 * 8) << "of the electrons";
  EXPECT_NEAR(expected[0], expected[2], 1e-12) << "the atoms are equivalent";
  EXPECT_NEAR(expected[1], expected[3], 1e-12);
  for (const bool band_groups : {false, true}) {
    if (band_groups) problem.groups = {.kpoint_groups = 1, .band_groups = Comm::world().size()};
    const CalculationResult result = run_calculation(Comm::world(), problem);
    expect_near(electrons_of(result), expected);
    const Projections& found = result.projections.value();
    ASSERT_EQ(found.weights.size(), result.scf.occupations.size() * 4);
    for (std::size_t i = 0; i < found.weights.size(); i += 4) {
      double sum = 0;
      for (std::size_t channel = 0; channel < 4; ++channel) sum += found.weights[i + channel];
      EXPECT_LE(sum, 1 + 1e-10);
    }
    if (Comm::world().size() == 1) break;
  }
  if (alone && Comm::world().size() == 1)
    expect_near(electrons_of(*of_one_rank::calculation(silicon(false))), expected);
}

}  // namespace
}  // namespace wavegrid::test_projections
