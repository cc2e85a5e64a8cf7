// The Hamiltonian on a mesh: Hermitian, the same on all ranks, and a polynomial of it.
#include <gtest/gtest.h>

#include <string>

#include <wavegrid/base/random.hpp>
#include <wavegrid/linalg/overlap.hpp>
#include <wavegrid/pseudo/gth_table.hpp>
#include <wavegrid/realspace/mesh_hamiltonian.hpp>

namespace wavegrid::test_mesh_hamiltonian {
namespace {

/// Two atoms in a sheared cell of 12 x 11 x 13 points, one of them at its edge.
struct Case {
  Crystal crystal{
      Lattice({{{6, 0, 0}, {1, 5.5, 0}, {0, -1, 6.5}}}), {"Si", "H"}, {{0, {0.02, 0.5, 0.5}}, {1, {0.4, 0.3, 0.9}}}};
  Mesh mesh{Comm::world(),
            MeshGrid(crystal.lattice, {12, 11, 13}, {true, true, true}, MeshRegion::cell()),
            8,
            {.allow_empty = true}};
  MeshOperator laplacian{mesh, {Transport::pairwise, HaloOverlap::off}};
  std::vector<double> values;

  /// Random potentials: `fields` of OperatorPotential.
  explicit Case(int fields) {
    for (int field = 0; field < fields; ++field)
      for (const Int3& point : mesh.points()) values.push_back(random_at({mesh.grid().id(point), field}));
  }
  template <class S>
  [[nodiscard]] MeshHamiltonian<S> hamiltonian(const Vec3& kpoint) {
    const GthTable table(std::string(WAVEGRID_SOURCE_DIR) + "/python/wavegrid/data/pseudopotentials/gth-lda.gth");
    Pseudopotentials atoms;
    for (const std::string& element : crystal.species)
      atoms.push_back(std::make_shared<GthPotential>(table.find(element)));
    return {{mesh, laplacian}, kpoint, std::make_shared<const MeshProjectors<S>>(mesh, kpoint, crystal, atoms, 6.0)};
  }
};

template <class S>
void expect_polynomial_of_single_steps(const Vec3& kpoint, Index bands, int fields) {
  Case setup(fields);
  MeshHamiltonian<S> h = setup.hamiltonian<S>(kpoint);
  h.set_potential({setup.values, fields});
  Bands<S> x(h.rows(), bands), hx(h.rows(), bands);
  h.fill_random(0, x.view(), RandomSpectrum::smooth);
  h.apply(std::as_const(x).view(), hx.view());
  Bands<S> expected = x, image = hx;
  const ThreeTermRecurrence p{3.0, {{0.2, 0}, {0.3, -0.4}, {0.25, -0.3}, {0.2, 0.1}}};
  h.BandOperator<S>::apply_polynomial(p, expected.view(), image.view());
  const Index before = h.applications();
  h.apply_polynomial(p, x.view(), hx.view());
  EXPECT_EQ(h.applications() - before, 3 * bands);
  double worst = 0, largest = 0;
  for (Index i = 0; i < h.rows() * bands; ++i) {
    worst = std::max<double>(worst, std::abs(x.view().data[i] - expected.view().data[i]));
    largest = std::max<double>(largest, std::abs(expected.view().data[i]));
  }
  EXPECT_LE(worst, 1e-13 * largest);
}

TEST(MeshHamiltonian, PolynomialIsThatOfSingleSteps) {
  for (const Index bands : {1, 8, 37}) {
    SCOPED_TRACE(bands);
    for (const int fields : {1, 2}) {
      expect_polynomial_of_single_steps<double>({}, bands, fields);
      expect_polynomial_of_single_steps<std::complex<double>>({0.25, 0.1, -0.3}, bands, fields);
    }
  }
}

void expect_hermitian(int fields) {
  using S = std::complex<double>;
  Case setup(fields);
  MeshHamiltonian<S> h = setup.hamiltonian<S>({0.2, -0.1, 0.4});
  h.set_potential({setup.values, fields});
  constexpr Index bands = 11;
  Bands<S> x(h.rows(), bands), hx(h.rows(), bands);
  h.fill_random(0, x.view(), RandomSpectrum::flat);
  h.apply(std::as_const(x).view(), hx.view());
  const Matrix<S> matrix = overlap<S>(h.product(), std::as_const(x).view(), std::as_const(hx).view());
  for (Index a = 0; a < bands; ++a)
    for (Index b = 0; b < bands; ++b)
      EXPECT_LT(std::abs(matrix(a, b) - std::conj(matrix(b, a))), 1e-10 * std::abs(matrix(a, a)));
}

TEST(MeshHamiltonian, IsHermitian) {
  for (const int fields : {1, 2}) expect_hermitian(fields);
}

/// The operator of v_tau and changes of it are those of the densities: sum f <psi|V psi> = int v n + int v_tau tau.
TEST(MeshHamiltonian, DensitiesBelongToTheOperator) {
  using S = std::complex<double>;
  Case setup(2);
  MeshHamiltonian<S> h = setup.hamiltonian<S>({0.2, -0.1, 0.4});
  constexpr Index bands = 70;
  Bands<S> x(h.rows(), bands), changed(h.rows(), bands), hx(h.rows(), bands), without(h.rows(), bands);
  h.fill_random(0, x.view(), RandomSpectrum::smooth);
  const std::vector<double> weights(bands, 1.0), zero(setup.values.size(), 0.0);
  std::vector<double> n(setup.values.size() / 2), tau(n);
  h.accumulate_densities(std::as_const(x).view(), weights, n, tau);
  double expected = 0;
  for (std::size_t i = 0; i < n.size(); ++i) expected += setup.values[i] * n[i] + setup.values[n.size() + i] * tau[i];
  expected = Comm::world().sum(expected) * setup.mesh.grid().point_volume();
  h.set_potential({zero, 2});
  h.apply(std::as_const(x).view(), without.view());
  std::copy_n(without.view().data, h.rows() * bands, changed.view().data);
  h.apply_change(setup.values, std::as_const(x).view(), changed.view());
  h.set_potential({setup.values, 2});
  h.apply(std::as_const(x).view(), hx.view());
  double found = 0, worst = 0;
  for (Index i = 0; i < h.rows() * bands; ++i) {
    found += real_part(std::conj(x.view().data[i]) * (hx.view().data[i] - without.view().data[i]));
    worst = std::max(worst, std::abs(hx.view().data[i] - changed.view().data[i]));
  }
  found = Comm::world().sum(found) * setup.mesh.grid().point_volume();
  EXPECT_NEAR(found, expected, 1e-11 * std::abs(expected));
  EXPECT_LT(worst, 1e-12);
}

}  // namespace
}  // namespace wavegrid::test_mesh_hamiltonian
