// Hirshfeld's charges of densities whose charges are known.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include <wavegrid/calculation/atomic_charges.hpp>
#include <wavegrid/discretisation/initial_density.hpp>
#include <wavegrid/planewaves/superposed_density.hpp>
#include <wavegrid/pseudo/gth_table.hpp>

#include "grid_setup.hpp"

namespace wavegrid::test_atomic_charges {
namespace {

/// Two atoms in a cell that is smaller than their spheres, one of them outside of [0, 1).
Problem problem_with(const Lattice& lattice, const Int3& grid) {
  static const GthTable table(std::string(WAVEGRID_SOURCE_DIR) + "/python/wavegrid/data/pseudopotentials/gth-lda.gth");
  Problem problem{.crystal = {lattice, {"Al", "Si"}, {{0, {0.1, 0.2, -0.3}}, {1, {0.6, 0.55, 0.1}}}},
                  .pseudopotentials = {},
                  .scf = {}};
  for (const std::string& element : problem.crystal.species)
    problem.pseudopotentials.push_back(std::make_shared<GthPotential>(table.find(element)));
  problem.grid = grid;
  return problem;
}

TEST(AtomicCharges, SuperposedAtomsAreNeutralAndKeepTheirMoments) {
  GridSetup setup(Scheme::balanced, skewed, {24, 24, 27});
  Problem problem = problem_with(skewed, {24, 24, 27});
  const std::vector<PseudoAtom> atoms = solve_pseudo_atoms(problem.pseudopotentials);
  const PlaneWaves& waves = setup.fft.waves();
  const auto all = superposed_density(waves, problem.crystal, atoms);
  auto half(all);
  for (auto& value : half) value *= 0.5;
  for (const bool deterministic : {false, true})
    for (problem.threads = 1; problem.threads <= 2; ++problem.threads) {
      problem.deterministic = deterministic;
      const AtomicCharges found = atomic_charges(setup.fields, problem, atoms, {all, half});
      ASSERT_EQ(found.charges.size(), 2U);
      for (std::size_t a = 0; a < 2; ++a) {
        const double valence = problem.pseudopotentials[a]->valence_charge();
        EXPECT_NEAR(found.charges[a], 0, 2e-3) << "the radius leaves out 1e-4 of the electrons, the grid some more";
        EXPECT_NEAR(found.moments[a], 0.5 * (valence - found.charges[a]), 1e-10);
      }
      EXPECT_NEAR(found.unassigned, found.charges[0] + found.charges[1], 1e-10);
    }
}

}  // namespace
}  // namespace wavegrid::test_atomic_charges
