// The ground state on a mesh in real space: electrostatics, the same energy on all ranks, plane waves, forces.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numbers>
#include <string>

#include <wavegrid/base/error.hpp>
#include <wavegrid/calculation/choose_discretisation.hpp>
#include <wavegrid/fields/xc_potential.hpp>
#include <wavegrid/problem/choose_kpoints.hpp>
#include <wavegrid/pseudo/gth_table.hpp>
#include <wavegrid/pseudo/pseudopotential_file.hpp>
#include <wavegrid/realspace/mesh_fields.hpp>

#include "checkpoint_case.hpp"

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
  MeshBasis basis{.order = 8, .region = MeshBasis::Region::spheres, .radius = 4, .periodic = {}};
  Problem p = problem_of(crystal, {14, 14, 14}, basis, 2);
  p.smearing = {SmearingKind::fermi_dirac, 0.01};
  p.spins = 2;
  p.initial_magnetic_moments = {0.3, -0.2};
  return p;
}

/// H2 molecules in a layer or a chain: of length 1.4 bohr along z, in the middle of a cell with points 0.35 bohr apart.
Problem repeated_hydrogen(const Int3& counts, const Vec3& kpoint) {
  constexpr double h = 0.35;
  const Vec3 edges{h * counts[0], h * counts[1], h * counts[2]};
  const double half = 0.7 / edges[2];
  Crystal crystal{Lattice({{{edges[0], 0, 0}, {0, edges[1], 0}, {0, 0, edges[2]}}}),
                  {"H"},
                  {{0, {0.5, 0.5, 0.5 - half}}, {0, {0.5, 0.5, 0.5 + half}}}};
  Problem p = problem_of(std::move(crystal), counts, {.order = 12}, 1);
  p.mode = Mode::complex;
  p.kpoints = {{kpoint, 1}};
  p.scf.energy_tolerance = 1e-10;
  p.derivatives.forces = true;
  return p;
}

Problem layer() {
  Problem p = repeated_hydrogen({12, 12, 45}, {0.25, 0, 0});
  p.mesh_basis->periodic = {true, true, false};
  return p;
}

Problem chain() {
  Problem p = repeated_hydrogen({40, 40, 12}, {0, 0, 0.25});
  p.mesh_basis->periodic = {false, false, true};
  return p;
}

CalculationResult converged(const Comm& comm, const Problem& problem) {
  CalculationResult result = run_calculation(comm, problem);
  EXPECT_TRUE(result.scf.converged);
  EXPECT_LT(std::abs(result.scf.hpsi_deviation), 1e-7);
  return result;
}

double energy_of(const Comm& comm, const Problem& problem) { return converged(comm, problem).scf.energies.free(); }

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

/// A random value for each point and number, between -1 and 1.
FieldValues random_values(const std::vector<Int3>& points, int number) {
  FieldValues values;
  for (const Int3& p : points)
    values.push_back(std::sin(12.9898 * (p[0] + 1) + 78.233 * (p[1] + 1) + 37.719 * (p[2] + 1) + 4.1 * number));
  return values;
}

/// A few points with a hundredth of the density of their neighbours; 1 at the others.
double emptiness(const Int3& p) { return (3 * p[0] + 5 * p[1] + 7 * p[2]) % 41 == 0 ? 0.01 : 1.0; }

/// dE_xc = int sum_s (v_s dn_s + v_tau,s dtau_s) with the tau of one orbital by finite differences.
TEST(RealSpace, PotentialsOfMetaGgasAreDerivatives) {
  const MeshGrid grid(Lattice({{{6, 0, 0}, {1, 6, 0}, {0, 0, 6}}}), {12, 13, 12}, {true, true, true},
                      MeshRegion::cell());
  const Mesh mesh(Comm::world(), grid, 8, {.allow_empty = true});
  MeshFields fields(mesh);
  const std::vector<Int3> points = mesh.points();
  for (const char* name : {"R2SCAN", "TPSS"})
    for (const int spins : {1, 2}) {
      const XcPotential<MeshFields> xc(fields, Xc::parse(name, spins), {}, false);
      const auto density = [&](double step) {
        Density<MeshFields> d;
        for (int c = 0; c < spins; ++c) {
          d.n.push_back(random_values(points, c));
          d.tau.push_back(random_values(points, 10 + c));
          const FieldValues dn = random_values(points, 20 + c), dtau = random_values(points, 30 + c);
          for (std::size_t i = 0; i < dn.size(); ++i) {
            d.n.back()[i] = emptiness(points[i]) * ((c == 0 ? 0.3 : 0.1) + 0.02 * d.n.back()[i] + step * dn[i]);
            d.tau.back()[i] = (c == 0 ? 0.4 : 0.1) + 0.02 * d.tau.back()[i] + step * dtau[i];
          }
        }
        return d;
      };
      const auto energy = [&](double step) {
        const Density<MeshFields> d = density(step);
        return xc.energy(d, density_values(fields, d));
      };
      const double h = 1e-5, slope = (8 * (energy(h) - energy(-h)) - energy(2 * h) + energy(-2 * h)) / (12 * h);
      const Density<MeshFields> d = density(0);
      const Potential found = xc.evaluate(d, density_values(fields, d)).potential;
      double expected = 0;
      for (std::size_t c = 0; c < static_cast<std::size_t>(spins); ++c) {
        const FieldValues dn = random_values(points, 20 + static_cast<int>(c)),
                          dtau = random_values(points, 30 + static_cast<int>(c));
        const auto mixed = [&](const SpinFields& v, std::size_t i) {
          if (spins == 1) return v[0][i];
          return 0.5 * (v[0][i] + (c == 0 ? v[1][i] : -v[1][i]));
        };
        expected += fields.integrate([&](std::size_t i) {
          return emptiness(points[i]) * mixed(found.v, i) * dn[i] + mixed(found.v_tau, i) * dtau[i];
        });
      }
      // Where both channels are below the bound of tau derivatives are of first order (xc/tau_bound.hpp).
      const double tolerance = spins == 1 ? 1e-6 : 1e-5;
      EXPECT_NEAR(slope, expected, tolerance * std::abs(expected) + 1e-9) << name << ", " << spins << " spins";
    }
}

TEST(RealSpace, HasTheTauOfOneOrbital) {
  const MeshGrid grid(Lattice({{{6, 0, 0}, {1, 6, 0}, {0, 0, 6}}}), {12, 13, 12}, {true, true, true},
                      MeshRegion::cell());
  const Mesh mesh(Comm::world(), grid, 8, {.allow_empty = true});
  MeshFields fields(mesh);
  FieldValues orbital = random_values(mesh.points(), 0), n;
  for (double& value : orbital) value = 0.5 + 0.05 * value;  // no point is nearly empty
  for (const double value : orbital) n.push_back(2 * value * value);
  FieldValues tau = fields.laplacian(n), w(n.size());
  const FieldValues laplacian = fields.laplacian(orbital);
  const SpinGradients slopes = fields.gradient(n);
  for (std::size_t i = 0; i < n.size(); ++i) {
    tau[i] = 0.25 * tau[i] - orbital[i] * laplacian[i];
    for (const FieldValues& slope : slopes) w[i] += slope[i] * slope[i] / (8 * n[i]);
  }
  const OneOrbitalTau<MeshFields> one_orbital(fields, {n}, slopes);
  const DensityValues corrected = one_orbital.corrected({{n}, {tau}});
  for (std::size_t i = 0; i < n.size(); ++i) EXPECT_NEAR(corrected.tau[0][i], w[i], 1e-8);
}

TEST(RealSpace, HasTheCoulombEnergyOfLayersAndChains) {
  if (Comm::world().size() > 2) return;
  // A neutral charge in a skewed cell: with enough vacuum the isolated one is that of the whole cell.
  const Lattice lattice({{{6, 1, 0}, {0, 24, 1}, {0, 1, 24}}});
  const auto energy = [&](const Lattice& cell, const Int3& counts, const Periodic& periodic) {
    const MeshGrid grid(cell, counts, periodic, MeshRegion::cell());
    const Mesh mesh(Comm::world(), grid, 8, {.allow_empty = true});
    MeshFields fields(mesh);
    FieldValues density;
    for (const Int3& point : mesh.points()) {
      double sum = 0;
      const auto images = [&](std::size_t d) { return periodic[d] ? 2 : 0; };
      for (int x = -images(0); x <= images(0); ++x)
        for (int y = -images(1); y <= images(1); ++y)
          for (int z = -images(2); z <= images(2); ++z) {
            const Vec3 image{static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)};
            const double r2 = norm2(grid.position(point) - cell.cartesian({0.5, 0.5, 0.5}) - cell.cartesian(image));
            sum += std::exp(-r2) - std::pow(1.44, -1.5) * std::exp(-r2 / 1.44);
          }
      density.push_back(sum / std::pow(std::numbers::pi, 1.5));
    }
    return fields.coulomb_energy(density);
  };
  const Int3 of_chain{16, 60, 60};
  EXPECT_NEAR(energy(lattice, of_chain, {true, false, false}), energy(lattice, of_chain, {true, true, true}), 1e-8);
  const Lattice flat({{{6, 1, 0}, {0, 24, 1}, {1, 0, 7}}});
  const Int3 of_layer{16, 60, 18};
  EXPECT_NEAR(energy(flat, of_layer, {true, false, true}), energy(flat, of_layer, {true, true, true}), 1e-8);
}

TEST(RealSpace, EnergyDoesNotDependOnRanksGroupsOrPartition) {
  for (Problem problem : {silicon(12), hydrogen(), layer()}) {
    const int size = Comm::world().size();
    problem.groups.kpoint_groups = std::min(size, 2);  // of the two sets of the first problems
    const double metis = energy_of(Comm::world(), problem);
    if (Comm::world().rank() == 0 && size > 1) {
      problem.groups.kpoint_groups.reset();
      EXPECT_NEAR(energy_of(Comm::self(), problem), metis, 1e-9);
    }
    Comm::world().barrier();
    problem.mesh_basis->partition = MeshPartitionMethod::block;
    problem.groups = {.kpoint_groups = size < 4 ? size : 1, .band_groups = 1};  // a group without bands on three ranks
    EXPECT_NEAR(energy_of(Comm::world(), problem), metis, 1e-9);
  }
}

TEST(RealSpace, BandGroupsChangeNothing) {
  const int size = Comm::world().size();
  if (size == 1) return;
  Problem problem = silicon(12);
  problem.derivatives = {.forces = true, .stress = true};
  problem.groups = {.kpoint_groups = 1, .band_groups = 1};
  const CalculationResult one = converged(Comm::world(), problem);
  problem.groups.band_groups = size < 4 ? size : 2;  // uneven for 5 and 7 ranks, and bands for 3 groups
  for (const Eigensolver eigensolver : {Eigensolver::chebyshev, Eigensolver::lobpcg}) {
    if (eigensolver == Eigensolver::lobpcg && size > 2) continue;
    problem.eigensolver = eigensolver;
    const CalculationResult other = converged(Comm::world(), problem);
    EXPECT_EQ(other.parallel.groups.band_groups, *problem.groups.band_groups);
    EXPECT_NEAR(other.scf.energies.free(), one.scf.energies.free(), 1e-9);
    EXPECT_NEAR(other.scf.energies.at("nonlocal"), one.scf.energies.at("nonlocal"), 1e-5);
    for (std::size_t a = 0; a < 3; ++a) {
      EXPECT_NEAR(other.derivatives.forces->total[1][a], one.derivatives.forces->total[1][a], 1e-5);
      EXPECT_NEAR(other.derivatives.stress->total[a][a], one.derivatives.stress->total[a][a], 1e-7);
    }
    if (eigensolver == Eigensolver::chebyshev) {
      EXPECT_EQ(other.work.h_applications, one.work.h_applications);
    }
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

/// Si2 at one k-point in a cell without symmetry, stretched in all directions by x: the mesh keeps its waves.
Problem stretched(double x, int points) {
  Problem p = silicon(points);
  Mat3 cell = p.crystal.lattice.vectors();
  cell[0] = cell[0] + Vec3{0.2, 0, 0.1};
  for (Vec3& vector : cell) vector = (1 + x) * vector;
  p.crystal.lattice = Lattice(cell);
  p.kpoints = {{{0.25, 0.25, 0.25}, 1}};
  p.scf.energy_tolerance = 1e-9;
  p.derivatives.stress = true;
  return p;
}

/// With a GGA and core densities.
TEST(RealSpace, PressureIsTheDerivative) {
  if (Comm::world().size() > 1) return;
  constexpr double step = 0.004;
  const auto at = [](double x) {
    Problem p = stretched(x, 20);
    p.pseudopotentials = {read_pseudopotential(
        std::string(WAVEGRID_SOURCE_DIR) + "/tests/reference/pseudopotentials/14-Si.nlcc.UPF", "Si")};
    p.xc = "PBE";
    return run_calculation(Comm::world(), p);
  };
  const double slope = (at(step).scf.energies.free() - at(-step).scf.energies.free()) /
                       (6 * step * stretched(0, 20).crystal.lattice.volume());
  EXPECT_NEAR(-at(0).derivatives.stress->pressure(), slope, 2e-6);
}

TEST(RealSpace, StressIsThatOfPlaneWaves) {
  if (Comm::world().size() > 1) return;
  Problem mesh = stretched(0, 22), waves = mesh;
  waves.mesh_basis.reset();
  waves.grid = {32, 32, 32};
  waves.ecut = 25;
  const Stress found = *run_calculation(Comm::world(), mesh).derivatives.stress;
  const Stress expected = *run_calculation(Comm::world(), waves).derivatives.stress;
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t b = 0; b < 3; ++b) EXPECT_NEAR(found.total[a][b], expected.total[a][b], 1e-6) << a << b;
}

TEST(RealSpace, LayersAndChainsAreThoseOfLargeCells) {
  if (Comm::world().size() > 1) return;
  for (const Problem& isolated : {layer(), chain()}) {
    Problem in_cell = isolated;
    in_cell.mesh_basis->periodic = {true, true, true};
    const CalculationResult found = run_calculation(Comm::world(), isolated);
    const CalculationResult expected = run_calculation(Comm::world(), in_cell);
    EXPECT_NEAR(found.scf.energies.free(), expected.scf.energies.free(), 1e-4);
    EXPECT_NEAR(found.derivatives.forces->total[1][2], expected.derivatives.forces->total[1][2], 1e-3);
  }
}

/// Li and H on a square lattice: without a dipole, the energy in a cell with vacuum soon is that of an isolated layer.
TEST(RealSpace, ALayerIsThatOfPlaneWavesInVacuum) {
  if (Comm::world().size() > 1) return;
  constexpr double edge = 4.24, height = 16;
  const Crystal crystal{
      Lattice({{{edge, 0, 0}, {0, edge, 0}, {0, 0, height}}}), {"Li", "H"}, {{0, {0, 0, 0.5}}, {1, {0.5, 0.5, 0.5}}}};
  Problem isolated = problem_of(crystal, {18, 18, 68}, {.order = 12, .periodic = {true, true, false}}, 2);
  isolated.scf.energy_tolerance = 1e-6;
  Problem waves = isolated;
  waves.mesh_basis.reset();
  waves.grid = {40, 40, 144};
  waves.ecut = 100;
  EXPECT_NEAR(energy_of(Comm::world(), isolated), energy_of(Comm::world(), waves), 2e-4);  // 1e-4 per atom
}

TEST(RealSpace, SymmetryChangesNothing) {
  if (Comm::world().size() > 3) return;
  Problem all = silicon(12);
  all.crystal.atoms = {{0, {0, 0, 0}}, {0, {0.25, 0.25, 0.25}}};
  all.xc = "PBE";
  all.derivatives = {.forces = false, .stress = true};
  Problem reduced = all;
  const KMesh mesh{{2, 2, 2}, {0, 0, 0}};
  all.kpoints = choose_kpoints(all.crystal, {}, {all.grid}, mesh, false).points;
  const KPointChoice choice = choose_kpoints(all.crystal, {}, {all.grid}, mesh, true);
  reduced.kpoints = choice.points;
  reduced.symmetry = choice.group;
  EXPECT_EQ(choice.group.operations().size(), 48U);
  EXPECT_LT(reduced.kpoints.size(), all.kpoints.size());
  const CalculationResult one = run_calculation(Comm::world(), all), other = run_calculation(Comm::world(), reduced);
  EXPECT_NEAR(one.scf.energies.free(), other.scf.energies.free(), 1e-9);
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t b = 0; b < 3; ++b)
      EXPECT_NEAR(one.derivatives.stress->total[a][b], other.derivatives.stress->total[a][b], 1e-8);
}

TEST(RealSpace, BandsAlongAPathAreThoseOfTheLoop) {
  Problem problem = silicon(12);
  problem.band_path = {{problem.kpoints[1].k, 0}, {{0, 0, 0}, 0}, {problem.kpoints[0].k, 0}};
  const CalculationResult result = run_calculation(Comm::world(), problem);
  ASSERT_TRUE(result.path.converged);
  ASSERT_EQ(result.path.eigenvalues.size(), 12U);
  for (std::size_t band = 0; band < 4; ++band) {
    EXPECT_NEAR(result.path.eigenvalues[band], result.scf.eigenvalues[4 + band], 1e-6);
    EXPECT_NEAR(result.path.eigenvalues[8 + band], result.scf.eigenvalues[band], 1e-6);
  }
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
  EXPECT_NE(message([](Problem& p) {
              p.derivatives.stress = true;
              p.mesh_basis->periodic = {};
            }).find("stress is wanted and the boundary is free"),
            std::string::npos);
  EXPECT_NE(message([](Problem& p) {
              p.mesh_basis->periodic = {true, true, false};
            }).find("along lattice vector 3"),
            std::string::npos);
  EXPECT_NE(message([](Problem& p) { p.mesh_basis->periodic = {}; }).find("Gamma alone"), std::string::npos);
  EXPECT_NE(message([](Problem& p) {
              p.mesh_basis->periodic = {};
              p.kpoints = {{}};
            }).find("atom 1 lies"),
            std::string::npos);
}

}  // namespace
}  // namespace wavegrid::test_realspace
