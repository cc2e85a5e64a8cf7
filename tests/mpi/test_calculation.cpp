// The same tests of a calculation on each discretisation: geometries followed with forces, and what it holds
// afterwards.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <wavegrid/base/error.hpp>
#include <wavegrid/calculation/session.hpp>
#include <wavegrid/linalg/overlap.hpp>
#include <wavegrid/pseudo/gth_table.hpp>

#include "of_one_rank.hpp"

namespace wavegrid::test_calculation {
namespace {

/// H2 with an odd cell at two k-points and two spins.
Problem hydrogen() {
  static const GthTable table(std::string(WAVEGRID_SOURCE_DIR) + "/python/wavegrid/data/pseudopotentials/gth-lda.gth");
  const Crystal crystal{
      Lattice({{{5, 0, 0}, {0, 5.5, 0}, {0.4, 0, 6}}}), {"H"}, {{0, {0.1, 0.2, 0.3}}, {0, {0.12, 0.21, 0.55}}}};
  Problem p{.crystal = crystal, .pseudopotentials = {std::make_shared<GthPotential>(table.find("H"))}, .scf = {}};
  p.bands = 3;
  p.smearing = {SmearingKind::fermi_dirac, 0.01};
  p.spins = 2;
  p.initial_magnetic_moments = {0.5, 0.4};
  p.kpoints = {{{0, 0, 0}, 0.5}, {{0.5, 0, 0}, 0.5}};
  p.scf.energy_tolerance = 1e-10;
  p.precision = Precision::double_only;
  p.transport = Transport::alltoallv;
  p.mode = Mode::complex;
  p.derivatives.forces = true;
  return p;
}

struct PlaneWaves {
  static Problem problem() {
    Problem p = hydrogen();
    p.ecut = 6;
    p.grid = {15, 16, 18};
    return p;
  }
};
struct Mesh {
  static Problem problem() {
    Problem p = hydrogen();
    p.grid = {14, 15, 16};
    p.mesh_basis = MeshBasis{.order = 8};
    return p;
  }
};

template <class Discretisation>
class Calculation : public testing::Test {};
using Discretisations = testing::Types<PlaneWaves, Mesh>;
TYPED_TEST_SUITE(Calculation, Discretisations);

/// Energy, moment and forces are those of a new calculation on one rank.
void expect_as_from_scratch(Session& session) {
  const CalculationResult again = session.solve();
  EXPECT_TRUE(again.scf.converged);
  const auto fresh = of_one_rank::calculation(session.problem());
  if (!fresh) return;
  EXPECT_NEAR(again.scf.energies.free(), fresh->scf.energies.free(), 1e-9);
  EXPECT_NEAR(again.scf.magnetisation.total, fresh->scf.magnetisation.total, 1e-4);
  for (std::size_t a = 0; a < 2; ++a)
    for (std::size_t x = 0; x < 3; ++x)
      EXPECT_NEAR(again.derivatives.forces->total[a][x], fresh->derivatives.forces->total[a][x], 1e-5);
}

TYPED_TEST(Calculation, FollowsAtomsAndCell) {
  const Problem p = TypeParam::problem();
  Session session(Comm::world(), p);
  expect_as_from_scratch(session);
  session.set_positions({{0.1, 0.2, 0.31}, {0.13, 0.21, 0.55}});
  expect_as_from_scratch(session);
  session.set_cell({Vec3{5.05, 0, 0}, Vec3{0, 5.5, 0.1}, Vec3{0.4, 0, 5.95}});
  expect_as_from_scratch(session);
}

/// Adds up |H psi - eps psi|^2 of all bands.
struct Residuals final : BandsVisitor {
  double largest = 0;
  int sets = 0;

  void visit(KohnShamBands<double>& bands) override { add(bands); }
  void visit(KohnShamBands<std::complex<double>>& bands) override { add(bands); }
  template <class S>
  void add(KohnShamBands<S>& bands) {
    const BandView<const S> x = std::as_const(bands.state.x).view();
    Bands<S> hx(x.rows, x.count);
    bands.op.apply(x, hx.view());
    const std::vector<double> values = diagonal_overlaps<S>(bands.op.product(), x, std::as_const(hx).view());
    for (std::size_t b = 0; b < values.size(); ++b)
      largest = std::max(largest, std::abs(values[b] - bands.state.values[b]));
    ++sets;
  }
};

TYPED_TEST(Calculation, ShowsWhatItHolds) {
  const Problem p = TypeParam::problem();
  Session session(Comm::world(), p);
  EXPECT_THROW((void)session.fields(), Error);
  const CalculationResult result = session.solve();
  const SolvedFields fields = session.fields();
  ASSERT_EQ(fields.density.size(), 2U);
  ASSERT_EQ(fields.potential.size(), 2U);
  const double volume = p.crystal.lattice.volume() / (double{1} * p.grid[0] * p.grid[1] * p.grid[2]);
  const auto integral = [&](const FieldValues& field) {
    return volume * Comm::world().sum(std::accumulate(field.begin(), field.end(), 0.0));
  };
  EXPECT_EQ(fields.points.size(), fields.density[0].size());
  EXPECT_NEAR(integral(fields.density[0]), 2.0, 1e-9);
  EXPECT_NEAR(integral(fields.density[1]), result.scf.magnetisation.total, 1e-9);
  for (const SolvedBands& bands : session.bands()) {
    EXPECT_EQ(bands.eigenvalues.size(), 3U);
    EXPECT_EQ(bands.coefficients.size(), 3 * bands.rows.size());
    EXPECT_EQ(bands.kpoint, p.kpoints[static_cast<std::size_t>(bands.k)].k);
  }
  Residuals residuals;
  session.visit_bands(residuals);
  EXPECT_LT(residuals.largest, 1e-5);  // of first order in what is left of the density's error
  EXPECT_EQ(residuals.sets, static_cast<int>(session.bands().size()));
}

}  // namespace
}  // namespace wavegrid::test_calculation
