// A session on a mesh, solved again after atoms, cell or symmetry have changed: the energy and forces of a new
// calculation, with less work.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <wavegrid/calculation/session.hpp>
#include <wavegrid/problem/choose_kpoints.hpp>
#include <wavegrid/pseudo/gth_table.hpp>

#include "of_one_rank.hpp"

namespace wavegrid::test_mesh_session {
namespace {

Problem problem_of(Crystal crystal, const Int3& grid, Index bands) {
  static const GthTable table(std::string(WAVEGRID_SOURCE_DIR) + "/python/wavegrid/data/pseudopotentials/gth-lda.gth");
  Problem p{.crystal = std::move(crystal), .pseudopotentials = {}, .scf = {}};
  for (const std::string& element : p.crystal.species)
    p.pseudopotentials.push_back(std::make_shared<GthPotential>(table.find(element)));
  p.grid = grid;
  p.mesh_basis = MeshBasis{.order = 8};
  p.bands = bands;
  p.scf.energy_tolerance = 1e-10;
  p.precision = Precision::double_only;
  p.transport = Transport::alltoallv;
  p.mode = Mode::complex;
  p.derivatives.forces = true;
  return p;
}

/// Si2 on a mesh of k-points with symmetry.
Problem silicon() {
  const Crystal crystal{Lattice({{{0, 5.13, 5.13}, {5.13, 0, 5.13}, {5.13, 5.13, 0}}}),
                        {"Si"},
                        {{0, {0, 0, 0}}, {0, {0.25, 0.25, 0.25}}}};
  Problem p = problem_of(crystal, {12, 12, 12}, 4);
  p.mesh = KMesh{{2, 2, 2}, {0, 0, 0}};
  p.follow_symmetry = true;
  KPointChoice choice = choose_kpoints(p.crystal, {}, {p.grid}, *p.mesh, true);
  p.kpoints = std::move(choice.points);
  p.symmetry = std::move(choice.group);
  return p;
}

/// H with a moment at two k-points.
Problem hydrogen() {
  Problem p =
      problem_of({Lattice({{{5, 0, 0}, {0, 5, 0}, {0, 0, 5.5}}}), {"H"}, {{0, {0.1, 0.2, 0.3}}}}, {14, 14, 15}, 2);
  p.smearing = {SmearingKind::fermi_dirac, 0.01};
  p.spins = 2;
  p.initial_magnetic_moments = {0.9};
  p.kpoints = {{{0, 0, 0}, 0.5}, {{0.5, 0, 0}, 0.5}};
  return p;
}

/// The energy, forces and moment of the session in its present geometry are those of a new calculation on one rank,
/// `fresh` if that has been made, with at most `share` of its applications of H.
void expect_as_from_scratch(Session& session, double share, std::optional<CalculationResult>& fresh) {
  const CalculationResult again = session.solve();
  EXPECT_TRUE(again.scf.converged);
  if (!fresh) fresh = of_one_rank::calculation(session.problem());
  if (!fresh) return;
  EXPECT_NEAR(again.scf.energies.free(), fresh->scf.energies.free(), 1e-9);
  EXPECT_NEAR(again.scf.magnetisation.total, fresh->scf.magnetisation.total, 1e-4);
  EXPECT_EQ(again.scf.eigenvalues.size(), fresh->scf.eigenvalues.size());
  EXPECT_LT(static_cast<double>(again.work.h_applications), share * static_cast<double>(fresh->work.h_applications));
  for (std::size_t a = 0; a < again.derivatives.forces->total.size(); ++a)
    for (std::size_t x = 0; x < 3; ++x)
      EXPECT_NEAR(again.derivatives.forces->total[a][x], fresh->derivatives.forces->total[a][x], 1e-5);
}

void expect_as_from_scratch(Session& session, double share) {
  std::optional<CalculationResult> fresh;
  expect_as_from_scratch(session, share, fresh);
}

constexpr double less = 0.95, any = 1.3;

TEST(MeshSession, FollowsMovingAtoms) {
  Problem p = silicon();
  p.follow_symmetry = false;
  p.symmetry = SpaceGroup::identity();
  p.crystal.atoms[1].position = {0.26, 0.25, 0.245};
  Session session(Comm::world(), p);
  (void)session.solve();
  for (const double x : {0.262, 0.264}) {
    session.set_positions({{0, 0, 0}, {x, 0.25, 0.245}});
    expect_as_from_scratch(session, less);
  }
}

TEST(MeshSession, FollowsTheCell) {
  Session session(Comm::world(), silicon());
  (void)session.solve();
  session.set_cell({Vec3{0, 5.18, 5.18}, Vec3{5.18, 0, 5.18}, Vec3{5.18, 5.18, 0}});
  expect_as_from_scratch(session, less);
  session.set_cell({Vec3{0, 5.16, 5.16}, Vec3{5.16, 0, 5.16}, Vec3{5.16, 5.16, 0}});
  expect_as_from_scratch(session, less);
  session.set_cell({Vec3{0, 5.16, 5.16}, Vec3{5.16, 0, 5.16}, Vec3{5.16, 5.16, 0}}, Int3{13, 13, 13});
  expect_as_from_scratch(session, any);
}

TEST(MeshSession, UnfoldsTheBandsIfSymmetryIsLost) {
  if (Comm::world().size() > 3) return;
  std::optional<CalculationResult> moved, back, strained;
  for (const int groups : {1, 2}) {
    if (groups > Comm::world().size()) continue;
    Problem p = silicon();
    p.groups = {.kpoint_groups = groups, .band_groups = 1};
    Session session(Comm::world(), p);
    (void)session.solve();
    const std::size_t irreducible = session.problem().kpoints.size();
    session.set_positions({{0, 0, 0}, {0.25, 0.253, 0.248}});
    EXPECT_GT(session.problem().kpoints.size(), irreducible);
    expect_as_from_scratch(session, less, moved);
    session.set_positions({{0, 0, 0}, {0.25, 0.25, 0.25}});
    EXPECT_EQ(session.problem().kpoints.size(), irreducible);
    expect_as_from_scratch(session, less, back);
    session.set_cell({Vec3{0, 5.16, 5.16}, Vec3{5.12, 0, 5.15}, Vec3{5.13, 5.13, 0}});
    EXPECT_GT(session.problem().kpoints.size(), irreducible);
    expect_as_from_scratch(session, less, strained);
  }
}

TEST(MeshSession, FollowsWithSpinAndGroups) {
  const int ranks = Comm::world().size();
  std::optional<CalculationResult> moved, strained;
  for (const bool by_kpoints : {true, false}) {
    if (ranks == 1 && !by_kpoints) continue;  // the same without groups
    Problem p = hydrogen();
    if (ranks > 1)
      p.groups = {.kpoint_groups = by_kpoints ? 2 : 1, .band_groups = by_kpoints ? 1 : ranks % 2 == 0 ? 2 : ranks};
    Session session(Comm::world(), p);
    (void)session.solve();
    session.set_positions({{0.12, 0.2, 0.28}});
    expect_as_from_scratch(session, less, moved);
    session.set_cell({Vec3{5, 0.1, 0}, Vec3{0, 5.1, 0}, Vec3{0, 0, 5.4}});
    expect_as_from_scratch(session, less, strained);
  }
}

}  // namespace
}  // namespace wavegrid::test_mesh_session
