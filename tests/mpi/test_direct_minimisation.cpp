// Direct minimisation has the energy of the self-consistency loop, in any division of the ranks.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>

#include <wavegrid/base/error.hpp>
#include <wavegrid/calculation/session.hpp>
#include <wavegrid/pseudo/gth_table.hpp>

namespace wavegrid::test_direct_minimisation {
namespace {

Problem problem_of(Crystal crystal, double ecut, const Int3& grid) {
  const GthTable table(std::string(WAVEGRID_SOURCE_DIR) + "/python/wavegrid/data/pseudopotentials/gth-lda.gth");
  Problem p{.crystal = std::move(crystal), .pseudopotentials = {}, .scf = {}};
  for (const std::string& element : p.crystal.species)
    p.pseudopotentials.push_back(std::make_shared<GthPotential>(table.find(element)));
  p.ecut = ecut;
  p.grid = grid;
  p.smearing = {SmearingKind::fixed, 0};
  p.transport = Transport::alltoallv;
  p.scf.energy_tolerance = 1e-10;
  p.precision = Precision::double_only;
  return p;
}

/// Two k-points and two empty bands.
Problem silicon() {
  Problem p = problem_of({Lattice({{{0, 5.13, 5.13}, {5.13, 0, 5.13}, {5.13, 5.13, 0}}}),
                          {"Si"},
                          {{0, {0, 0, 0}}, {0, {0.26, 0.25, 0.24}}}},
                         4, {14, 14, 14});
  p.mode = Mode::complex;
  p.kpoints = {{{0.125, 0.2, 0.3}, 0.75}, {{-0.375, 0.25, 0.0}, 0.25}};
  p.bands = 6;
  return p;
}

Problem molecule() {
  Problem p = problem_of({Lattice({{{9, 0, 0}, {0, 8, 0}, {0, 0, 8}}}),
                          {"C", "H"},
                          {{0, {0.4, 0.5, 0.5}}, {0, {0.6, 0.5, 0.5}}, {1, {0.2, 0.5, 0.5}}, {1, {0.8, 0.5, 0.5}}}},
                         5, {20, 18, 18});
  p.xc = "PBE";
  p.bands = 5;
  return p;
}

/// Four electrons of one spin and one of the other, whose empty bands are degenerate.
Problem nitrogen_atom() {
  Problem p =
      problem_of({Lattice({{{8, 0, 0}, {0, 8, 0}, {0, 0, 8}}}), {"N"}, {{0, {0.5, 0.5, 0.5}}}}, 5, {18, 18, 18});
  p.spins = 2;
  p.initial_magnetic_moments = {3.0};
  p.total_magnetisation = 3.0;
  p.bands = 4;
  return p;
}

/// On its way to the minimum the density passes r_s = 1 at points of the mesh, where e_c of Perdew and Zunger jumps:
/// the energy rises by 2e-6 Ha there.
Problem hydrogen_on_a_mesh() {
  Problem p = problem_of({Lattice({{{6, 0, 0}, {0, 6, 0}, {0, 0, 8}}}),
                          {"H"},
                          {{0, {2.9 / 6, 3.0 / 6, 3.2 / 8}}, {0, {3.0 / 6, 3.1 / 6, 4.8 / 8}}}},
                         0, {12, 12, 16});
  p.mesh_basis = MeshBasis{.order = 8};
  p.xc = "LDA-PZ";
  p.mode = Mode::complex;
  p.kpoints = {{{0, 0, 0}, 0.5}, {{0.5, 0, 0}, 0.5}};
  p.bands = 3;
  return p;
}

CalculationResult solved_by(ScfMethod method, Problem p) {
  p.scf.method = method;
  CalculationResult result = run_calculation(Comm::world(), p);
  EXPECT_TRUE(result.scf.converged) << to_string(method);
  EXPECT_LT(std::abs(result.scf.hpsi_deviation), 1e-9);
  return result;
}

void expect_same(const Problem& p) {
  const ScfResult mixed = solved_by(ScfMethod::mixing, p).scf, direct = solved_by(ScfMethod::direct, p).scf;
  EXPECT_NEAR(direct.energies.free(), mixed.energies.free(), 1e-9);
  EXPECT_LT(direct.h_applications, mixed.h_applications);
  ASSERT_EQ(direct.eigenvalues.size(), mixed.eigenvalues.size());
  for (std::size_t i = 0; i < mixed.eigenvalues.size(); ++i)
    EXPECT_NEAR(direct.eigenvalues[i], mixed.eigenvalues[i], mixed.occupations[i] > 0 ? 1e-5 : 1e-3) << i;
}

TEST(DirectMinimisation, HasTheEnergyOfMixingWithKPointsAndGroups) {
  Problem p = silicon();
  if (Comm::world().size() % 2 == 0) (Comm::world().size() == 2 ? p.groups.kpoint_groups : p.groups.band_groups) = 2;
  expect_same(p);
}

TEST(DirectMinimisation, HasTheEnergyOfMixingForAMoleculeFromRandomBands) {
  Problem p = molecule();
  p.initial_wavefunctions = InitialWavefunctions::random;
  expect_same(p);
}

TEST(DirectMinimisation, HasTheEnergyOfMixingForAnOpenShell) { expect_same(nitrogen_atom()); }

TEST(DirectMinimisation, PassesAJumpOfTheFunctional) { expect_same(hydrogen_on_a_mesh()); }

TEST(DirectMinimisation, ConvergesWhereMixingGoesTooFar) {
  Problem p = silicon();
  p.scf.mixer.beta = 3.0;
  p.scf.max_steps = 25;
  p.preconditioner = PreconditionerKind::none;
  p.scf.mixer.history = 1;
  p.scf.method = ScfMethod::mixing;
  EXPECT_FALSE(run_calculation(Comm::world(), p).scf.converged);
  solved_by(ScfMethod::direct, p);
}

TEST(DirectMinimisation, RefusesSmearingAndSinglePrecision) {
  Problem p = silicon();
  p.scf.method = ScfMethod::direct;
  p.smearing = {SmearingKind::gaussian, 0.01};
  EXPECT_THROW(run_calculation(Comm::world(), p), Error);
  p.smearing = {SmearingKind::fixed, 0};
  p.precision = Precision::mixed;
  EXPECT_THROW(run_calculation(Comm::world(), p), Error);
}

}  // namespace
}  // namespace wavegrid::test_direct_minimisation
