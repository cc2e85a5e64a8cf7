// The ground state on a mesh in real space: electrostatics, the same energy on all ranks, plane waves, forces.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numbers>
#include <string>

#include "atoms/gth_table.hpp"
#include "base/error.hpp"
#include "calculation/session.hpp"
#include "checkpoint_case.hpp"
#include "realspace/mesh_fields.hpp"

namespace wavegrid::test_realspace {
namespace {

Problem problem_of(Crystal crystal, const Int3& grid, const MeshBasis& basis, Index bands) {
  static const GthTable table(std::string(WAVEGRID_SOURCE_DIR) + "/python/wavegrid/data/pseudopotentials/gth-lda.gth");
  Problem p{.crystal = std::move(crystal), .pseudopotentials = {}, .scf = {}};
  for (const std::string& element : p.crystal.species)
    p.pseudopotentials.push_back(std::make_shared<GthPotential>(table.find(element)));
  p.grid = grid;
  p.mesh_basis = basis;
  p.bands = bands;
  p.scf.energy_tolerance = 1e-11;
  p.precision = Precision::double_only;
  return p;
}

/// Si2 at two k-points.
Problem silicon(int points) {
  const Crystal crystal{Lattice({{{0, 5.13, 5.13}, {5.13, 0, 5.13}, {5.13, 5.13, 0}}}),
                        {"Si"},
                        {{0, {0.01, 0, 0}}, {0, {0.27, 0.25, 0.24}}}};
  Problem p = problem_of(crystal, {points, points, points}, {.order = 12}, 4);
  p.mode = Mode::complex;
  p.kpoints = {{{0.25, 0.25, 0.25}, 0.25}, {{0.25, 0.25, -0.25}, 0.75}};
  p.transport = Transport::alltoallv;
  return p;
}

/// H2 in free space, with spin.
Problem hydrogen() {
  const Crystal crystal{Lattice({{{8, 0, 0}, {0, 8, 0}, {0, 0, 8}}}), {"H"}, {{0, {0.1, 0, 0}}, {0, {0.1, 0, 0.18}}}};
  MeshBasis basis{.order = 8, .region = MeshBasis::Region::spheres, .radius = 4, .periodic = false};
  Problem p = problem_of(crystal, {14, 14, 14}, basis, 2);
  p.smearing = {SmearingKind::fermi_dirac, 0.01};
  p.spins = 2;
  p.initial_magnetic_moments = {0.3, -0.2};
  return p;
}

double energy_of(const Comm& comm, const Problem& problem) {
  const CalculationResult result = run_calculation(comm, problem);
  EXPECT_TRUE(result.scf.converged);
  EXPECT_LT(std::abs(result.scf.hpsi_deviation), 1e-7);
  return result.scf.energies.free();
}

TEST(RealSpace, HasTheCoulombEnergyOfAnIsolatedCharge) {
  const Vec3 centre{0.1, 0.2, -0.1};
  const MeshGrid grid(Lattice({{{8, 0, 0}, {1, 8, 0}, {0, 0, 8}}}), {16, 16, 16}, {false, false, false},
                      MeshRegion::spheres({centre}, 5.5));
  const Mesh mesh(Comm::world(), grid, 8, {.allow_empty = true});
  MeshFields fields(mesh);
  constexpr double width = 1.1;
  FieldValues density;
  const std::vector<Int3> points = mesh.points();
  for (const Int3& point : points)
    density.push_back(std::exp(-norm2(grid.position(point) - centre) / (width * width)) /
                      std::pow(std::numbers::pi * width * width, 1.5));
  EXPECT_NEAR(fields.coulomb_energy(density), 1 / (width * std::sqrt(2 * std::numbers::pi)), 1e-7);
  const FieldValues potential = fields.coulomb_potential(density);
  EXPECT_NEAR(fields.inner_product(potential, density), 2 * fields.coulomb_energy(density), 1e-12);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double r = norm(grid.position(points[i]) - centre);
    EXPECT_NEAR(potential[i], std::erf(r / width) / r, 1e-6);
  }
}

TEST(RealSpace, EnergyDoesNotDependOnRanksGroupsOrPartition) {
  for (Problem problem : {silicon(12), hydrogen()}) {
    const int size = Comm::world().size();
    problem.groups.kpoint_groups = std::min(size, 2);  // two sets each
    const double metis = energy_of(Comm::world(), problem);
    if (Comm::world().rank() == 0 && size > 1) {
      problem.groups.kpoint_groups.reset();
      EXPECT_NEAR(energy_of(Comm::self(), problem), metis, 1e-9);
    }
    Comm::world().barrier();
    problem.mesh_basis->partition = MeshPartitionMethod::block;
    problem.groups.kpoint_groups = size < 4 ? size : 1;  // a group without bands on three ranks
    EXPECT_NEAR(energy_of(Comm::world(), problem), metis, 1e-9);
  }
}

TEST(RealSpace, MatchesPlaneWavesWhereverTheAtomsAre) {
  if (Comm::world().size() > 1) return;
  Problem waves = silicon(36);
  waves.mesh_basis.reset();
  waves.ecut = 32;
  Problem mesh = silicon(18);
  for (Problem* problem : {&waves, &mesh}) problem->scf.energy_tolerance = 1e-7;
  const double expected = energy_of(Comm::world(), waves), here = energy_of(Comm::world(), mesh);
  EXPECT_NEAR(here, expected, 2e-4);
  for (Atom& atom : mesh.crystal.atoms) atom.position[2] += 0.5 / 18;
  EXPECT_NEAR(energy_of(Comm::world(), mesh), here, 1e-4);
}

TEST(RealSpace, ForcesAreDerivatives) {
  if (Comm::world().size() > 1) return;
  Problem problem = silicon(16);
  problem.scf.energy_tolerance = 1e-9;
  problem.derivatives.forces = true;
  Session session(Comm::world(), problem);
  const double force = session.solve().derivatives.forces->total[1][0];
  EXPECT_GT(std::abs(force), 0.005);
  constexpr double step = 0.04;  // bohr, in opposite directions: the centre stays
  const auto moved = [&](double by) {
    // Fractional coordinates of a displacement along x.
    const Vec3 change = (0.5 * by / 10.26) * Vec3{-1, 1, 1};
    session.set_positions({Vec3{0.01, 0, 0} - change, Vec3{0.27, 0.25, 0.24} + change});
    return session.solve().scf.energies.free();
  };
  EXPECT_NEAR(force, (moved(-step) - moved(step)) / (2 * step), 3e-4);
}

TEST(RealSpace, AMovedMoleculeContinuesFromItsLastGeometries) {
  Problem problem = hydrogen();  // the region moves with the atoms
  problem.scf.energy_tolerance = 1e-9;
  Session session(Comm::world(), problem);
  const Index first = session.solve().work.h_applications;
  CalculationResult last;
  for (const double x : {0.105, 0.11, 0.115}) {
    problem.crystal.atoms[1].position = {x, 0, 0.185};
    session.set_positions({problem.crystal.atoms[0].position, problem.crystal.atoms[1].position});
    last = session.solve();
  }
  EXPECT_LT(last.work.h_applications, first);
  EXPECT_NEAR(last.scf.energies.free(), energy_of(Comm::world(), problem), 1e-8);
}

CheckpointOptions checkpoint_in(const test_data::SharedDirectory& directory) {
  return {.file = (directory / "checkpoint.h5").string(), .input = "{}", .versions = "{}", .program = "test"};
}

TEST(RealSpace, RestartsOnAnotherLayoutAndWhereAtomsHaveMoved) {
  const test_data::SharedDirectory directory;
  Problem problem = hydrogen();
  problem.scf.energy_tolerance = 1e-7;
  problem.checkpoint = checkpoint_in(directory);
  const CalculationResult first = run_calculation(Comm::world(), problem);
  ASSERT_TRUE(first.checkpoint && first.checkpoint->error.empty());
  problem.restart_file = problem.checkpoint->file;
  problem.checkpoint.reset();
  problem.mesh_basis->partition = MeshPartitionMethod::block;
  const CalculationResult same = run_calculation(Comm::world(), problem);
  EXPECT_EQ(same.restart->density, "taken");
  EXPECT_NEAR(same.restart->norm_kept, 1, 1e-10);
  EXPECT_LE(same.scf.steps, 2);
  EXPECT_NEAR(same.scf.energies.free(), first.scf.energies.free(), 1e-7);
  EXPECT_NEAR(same.scf.magnetisation.absolute, first.scf.magnetisation.absolute, 1e-3);
  // The whole molecule by three and a half points, and the bond: most of the move is a shift of the file.
  for (Atom& atom : problem.crystal.atoms) atom.position[1] += 3.5 / 14;
  problem.crystal.atoms[1].position[2] += 0.002;
  const CalculationResult moved = run_calculation(Comm::world(), problem);
  EXPECT_EQ(moved.restart->density, "carried over");
  EXPECT_LE(moved.scf.steps, first.scf.steps);
}

TEST(RealSpace, RestartsFromPlaneWavesAndPlaneWavesFromIt) {
  const test_data::SharedDirectory directory;
  Problem mesh = silicon(12);
  mesh.scf.energy_tolerance = 1e-6;
  Problem waves = mesh;
  waves.mesh_basis.reset();
  waves.grid = {24, 24, 24};
  waves.ecut = 12;
  waves.checkpoint = checkpoint_in(directory);
  (void)run_calculation(Comm::world(), waves);
  const CalculationResult anew = run_calculation(Comm::world(), mesh);
  mesh.restart_file = waves.checkpoint->file;
  mesh.checkpoint = waves.checkpoint;
  const CalculationResult on_mesh = run_calculation(Comm::world(), mesh);
  EXPECT_EQ(on_mesh.restart->kpoints_found, 2);
  EXPECT_GT(on_mesh.restart->norm_kept, 0.9999);
  EXPECT_LT(on_mesh.scf.steps, anew.scf.steps);
  waves.restart_file = mesh.restart_file;  // replaced by that of the mesh
  waves.checkpoint.reset();
  const CalculationResult on_waves = run_calculation(Comm::world(), waves);
  EXPECT_EQ(on_waves.restart->kpoints_found, 2);
  EXPECT_LE(on_waves.scf.steps, 3);
}

TEST(RealSpace, AddsBandsWhileTheHighestIsOccupied) {
  Problem problem = hydrogen();
  problem.spins = 1;
  problem.initial_magnetic_moments = {};
  problem.smearing.width = 0.1;
  problem.scf.energy_tolerance = 1e-6;
  problem.bands = 1;
  problem.may_add_bands = true;
  const CalculationResult result = run_calculation(Comm::world(), problem);
  EXPECT_TRUE(result.scf.converged);
  EXPECT_GT(result.bands, 1);
  EXPECT_FALSE(result.scf.too_few_bands);
}

TEST(RealSpace, NamesWhatItCannotDo) {
  const auto message = [](const auto& change) -> std::string {
    Problem problem = silicon(12);
    change(problem);
    try {
      require_valid(problem);
    } catch (const Error& error) {
      return error.kind() == ErrorKind::bad_input ? error.what() : "";
    }
    return "";
  };
  EXPECT_NE(message([](Problem& p) { p.derivatives.stress = true; }).find("stress"), std::string::npos);
  EXPECT_NE(message([](Problem& p) { p.mesh_basis->periodic = false; }).find("Gamma alone"), std::string::npos);
  EXPECT_NE(message([](Problem& p) {
              p.mesh_basis->periodic = false;
              p.kpoints = {{}};
            }).find("atom 1 lies"),
            std::string::npos);
}

}  // namespace
}  // namespace wavegrid::test_realspace
