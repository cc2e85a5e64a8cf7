// A third solver of electrons in the loop that plane-wave calculations use (orbital_free_solver.hpp), with their terms.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include <wavegrid/planewaves/plane_wave_bands.hpp>
#include <wavegrid/planewaves/plane_wave_scf.hpp>
#include <wavegrid/pseudo/gth_table.hpp>
#include <wavegrid/terms/hartree_term.hpp>
#include <wavegrid/terms/local_term.hpp>
#include <wavegrid/terms/xc_term.hpp>

#include "orbital_free_solver.hpp"

namespace wavegrid::test_orbital_free {
namespace {

using Bands = PlaneWaveBands<double>;
using Solver = OrbitalFreeSolver<double, GridFields>;

constexpr double ecut = 8;
constexpr double side = 7;  // bohr
const Int3 grid{20, 20, 20};

/// Hydrogen and helium, whose potentials have no projectors.
Crystal atoms() {
  return {Lattice({{{side, 0, 0}, {0, side, 0}, {0, 0, side}}}),
          {"He", "H"},
          {{0, {0.3, 0.5, 0.5}}, {1, {0.5, 0.5, 0.45}}, {1, {0.72, 0.5, 0.52}}}};
}
Crystal molecule() {
  return {Lattice({{{side, 0, 0}, {0, side, 0}, {0, 0, side}}}), {"H"}, {{0, {0.4, 0.5, 0.5}}, {0, {0.6, 0.5, 0.48}}}};
}
Crystal nothing() { return {Lattice({{{side, 0, 0}, {0, side, 0}, {0, 0, side}}}), {}, {}}; }

/// Terms of the energy, and one band with its operator.
struct OneBand {
  Crystal crystal;
  Pseudopotentials potentials;
  GSphere sphere{crystal.lattice, ecut, grid, Mode::gamma};
  ProcessGroups groups{Comm::world(), {}};
  Partition partition{make_partition(Scheme::balanced, sphere.counts(), grid[0], Comm::world().size())};
  ProcessGrid ranks{Comm::world(), partition.shape.rows, partition.shape.columns};
  FftOptions fft{.transport = Transport::alltoallv, .effort = PlanEffort::estimate};
  Bands bands{std::make_shared<KPointBasis<double>>(groups, ranks, sphere, partition, fft, crystal, potentials), 0, 0,
              Eigensolver::lobpcg, nullptr};
  GridFields fields{
      crystal.lattice, grid, ecut, SpaceGroup::identity(), {ranks, partition.scheme, bands.basis->fft.layout()}, fft};
  GridPotential terms;

  OneBand(Crystal of, const char* xc, bool thomas_fermi)
      : crystal(std::move(of)), potentials(table_of(crystal)), terms(fields, list(xc, thomas_fermi)) {}

  static Pseudopotentials table_of(const Crystal& crystal) {
    const GthTable table(std::string(WAVEGRID_SOURCE_DIR) + "/python/wavegrid/data/pseudopotentials/gth-lda.gth");
    Pseudopotentials all;
    for (const std::string& name : crystal.species) all.push_back(std::make_shared<GthPotential>(table.find(name)));
    return all;
  }
  GridPotential::Terms list(const char* xc, bool thomas_fermi) {
    GridPotential::Terms all;
    all.push_back(std::make_unique<HartreeTerm<GridFields>>(fields));
    all.push_back(std::make_unique<XcTerm<GridFields>>(fields, Xc::parse(xc, 1)));
    if (!crystal.atoms.empty()) all.push_back(std::make_unique<LocalTerm<GridFields>>(fields, crystal, potentials));
    if (thomas_fermi) all.push_back(std::make_unique<ThomasFermiTerm<GridFields>>(fields));
    return all;
  }
  [[nodiscard]] Density<GridFields> uniform(double electrons) {
    const auto points = fields.point_indices().size();
    return {{fields.to_field(FieldValues(points, electrons / crystal.lattice.volume()))}, {}};
  }
};

const ScfOptions options{.energy_tolerance = 1e-11, .mixer = {.beta = 0.7}};

ScfResult orbital_free(OneBand& setup, double electrons, double lambda) {
  Solver solver(setup.fields, setup.bands, electrons, lambda);
  Density<GridFields> density = setup.uniform(electrons);
  ScfResult result = solve_scf<GridFields>({setup.fields, setup.terms, electrons, 1}, solver, density, options);
  EXPECT_TRUE(result.converged);
  return result;
}

/// By the solvers of the library: one band with two electrons.
ScfResult kohn_sham(OneBand& setup, ScfMethod method) {
  const Electrons electrons{2.0, {SmearingKind::fixed, 0}, 1};
  ScfSystem<double, GridFields> system{setup.groups, {&setup.bands}, setup.fields, setup.terms, electrons, {1.0}, 1};
  const auto start = [](KohnShamBands<double>& bands) {
    EigenState<double> state(bands.op.rows(), 1);
    bands.op.fill_random(1, state.x.view());
    apply_h_and_s<double>(bands.op, state.view());
    rayleigh_ritz<double>(bands.op, state);
    return state;
  };
  ScfOptions chosen = options;
  chosen.method = method;
  const auto solver = make_electron_solver<double, GridFields>(system, start, chosen);
  Density<GridFields> density = setup.uniform(2);
  ScfResult result = solve_scf<GridFields>(system.functional(), *solver, density, chosen);
  EXPECT_TRUE(result.converged);
  return result;
}

TEST(OrbitalFree, IsKohnShamTheoryForTwoElectrons) {
  OneBand setup(molecule(), "LDA_XC_TETER93", false);
  const ScfResult found = orbital_free(setup, 2, 1);
  for (const ScfMethod method : {ScfMethod::mixing, ScfMethod::direct}) {
    OneBand same(molecule(), "LDA_XC_TETER93", false);
    const ScfResult expected = kohn_sham(same, method);
    SCOPED_TRACE(to_string(method));
    EXPECT_NEAR(found.energies.free(), expected.energies.free(), 1e-9);
    for (const auto& [name, energy] : found.energies) EXPECT_NEAR(energy, expected.energies.at(name), 1e-5) << name;
    EXPECT_NEAR(found.eigenvalues[0], expected.eigenvalues[0], 1e-5);
  }
}

TEST(OrbitalFree, HasTheEnergyOfAUniformGas) {
  OneBand setup(nothing(), "LDA_X", true);
  constexpr double electrons = 40;
  const double volume = side * side * side, n = electrons / volume;
  const double exchange = -0.75 * std::cbrt(3 * n / std::numbers::pi) * electrons;
  const double kinetic = ThomasFermiTerm<GridFields>::factor() * std::pow(n, 5.0 / 3) * volume;
  const ScfResult found = orbital_free(setup, electrons, 1);
  EXPECT_NEAR(found.energies.free(), kinetic + exchange, 1e-9);
  EXPECT_NEAR(found.energies.at("kinetic"), 0, 1e-9);
  EXPECT_NEAR(found.fermi[0], (5.0 / 3 * kinetic + 4.0 / 3 * exchange) / electrons, 1e-7);
}

TEST(OrbitalFree, HasTheDerivativeOfTheEnergyAsItsMultiplier) {
  OneBand setup(atoms(), "LDA_XC_TETER93", true);
  constexpr double electrons = 4, lambda = 0.2, step = 0.01;
  const ScfResult found = orbital_free(setup, electrons, lambda);
  const double more = orbital_free(setup, electrons + step, lambda).energies.free();
  const double less = orbital_free(setup, electrons - step, lambda).energies.free();
  EXPECT_NEAR(found.fermi[0], (more - less) / (2 * step), 1e-6);
  EXPECT_LT(found.residuals[0], 1e-8);                         // of Euler's equation
  EXPECT_NEAR(found.energies.free(), -2.8976338294732, 1e-9);  // of one rank
}

}  // namespace
}  // namespace wavegrid::test_orbital_free
