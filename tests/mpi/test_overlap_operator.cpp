// H x = e S x with S = 1 + sum |p> q <p| for made-up couplings and overlaps: plane waves and a mesh, compared with
// dense matrices, and what makes bands S-orthonormal: start, transfer, extrapolation, solvers.
#include <gtest/gtest.h>

#include <complex>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include <wavegrid/base/random.hpp>
#include <wavegrid/base/units.hpp>
#include <wavegrid/discretisation/extrapolation.hpp>
#include <wavegrid/eigen/converge_bands.hpp>
#include <wavegrid/eigen/lowest_in_span.hpp>
#include <wavegrid/eigen/orthonormalise.hpp>
#include <wavegrid/linalg/lapack.hpp>
#include <wavegrid/linalg/overlap.hpp>
#include <wavegrid/linalg/rotate.hpp>
#include <wavegrid/planewaves/plane_wave_bands.hpp>
#include <wavegrid/pseudo/gth_table.hpp>
#include <wavegrid/realspace/mesh_derivatives.hpp>
#include <wavegrid/wavefunctions/reassign.hpp>

namespace wavegrid::test_overlap_operator {
namespace {

using Complex = std::complex<double>;
using SingleComplex = std::complex<float>;
/// Of a result in the precision of S that rounding alone changes.
template <class S>
constexpr double rounding = std::is_same_v<RealOf<S>, float> ? 2e-4 : 1e-9;
constexpr Index num_bands = 6;
constexpr double overlap_scale = 2;  ///< of q: S is clearly not 1, also for random bands

const Crystal& crystal() {
  static const Crystal value{
      Lattice({{{6, 0, 0}, {1, 5.5, 0}, {0, -1, 6.5}}}), {"Si", "H"}, {{0, {0.02, 0.5, 0.5}}, {1, {0.4, 0.3, 0.9}}}};
  return value;
}

Pseudopotentials pseudopotentials() {
  const GthTable table(std::string(WAVEGRID_SOURCE_DIR) + "/python/wavegrid/data/pseudopotentials/gth-lda.gth");
  return {std::make_shared<GthPotential>(table.find("Si")), std::make_shared<GthPotential>(table.find("H"))};
}

/// Hermitian matrices with the diagonal `scale` (1 to 1.5) and small other elements, complex where S is.
template <class S>
AtomMatrices made_up(const std::vector<Range>& atom_projectors, double scale, int seed) {
  AtomMatrices all;
  for (std::size_t a = 0; a < atom_projectors.size(); ++a) {
    const Index n = atom_projectors[a].size();
    Matrix<Complex> m(n, n);
    for (Index j = 0; j < n; ++j) {
      m(j, j) = scale * (1.25 + 0.25 * random_at({seed, Index(a), j}));
      for (Index i = 0; i < j; ++i) {
        const double imaginary = ScalarTraits<S>::is_real ? 0.0 : 0.1 * random_at({seed, Index(a), i, j, 1});
        m(i, j) = scale * Complex(0.1 * random_at({seed, Index(a), i, j, 0}), imaginary);
        m(j, i) = std::conj(m(i, j));
      }
    }
    all.push_back(std::move(m));
  }
  return all;
}

/// Plane waves of one k-point, with projectors in reciprocal space.
template <class S>
struct OnWaves {
  static constexpr bool real = ScalarTraits<S>::is_real;
  Int3 grid{20, 20, 20};
  Vec3 k = real ? Vec3{0, 0, 0} : Vec3{0.25, -0.4, 0.125};
  GSphere sphere{crystal().lattice, 4.0, grid, real ? Mode::gamma : Mode::complex, k};
  ProcessGroups levels{Comm::world(), {1, 1}};
  Partition partition{make_partition(Scheme::greedy, sphere.counts(), grid[0], Comm::world().size())};
  ProcessGrid ranks{Comm::world(), partition.shape.rows, partition.shape.columns};
  BandFft<RealOf<S>> fft{levels, ranks, sphere, partition, {.transport = Transport::alltoallv}};
  NonlocalPotential<S> projectors{fft.rows(), k, crystal(), pseudopotentials()};
  Hamiltonian<S> h{fft, projectors, nullptr};
  std::vector<RealOf<S>> potential;

  OnWaves() {
    const FftLayout& l = fft.layout();
    for (Index x = l.x.begin; x < l.x.end; ++x)
      for (Index y = l.y.begin; y < l.y.end; ++y)
        for (Index z = 0; z < l.grid[2]; ++z)
          potential.push_back(RealOf<S>(-0.5 * std::cos(0.3 * double(x)) + 0.1 * std::cos(0.3 * double(y + z))));
    h.set_potential({potential, 1});
    h.set_couplings(made_up<S>(projectors.atom_projectors(), 1.5, 3));
    h.set_overlaps(made_up<S>(projectors.atom_projectors(), overlap_scale, 5));
  }
  Matrix<S> overlaps(BandView<const S> psi) { return projectors.overlaps(h.product(), psi); }
  std::vector<Range> atom_projectors() { return projectors.atom_projectors(); }
};

template <class S>
struct OnMesh {
  Mesh mesh{Comm::world(),
            MeshGrid(crystal().lattice, {9, 9, 10}, {true, true, true}, MeshRegion::cell()),
            8,
            {.allow_empty = true}};
  MeshOperator laplacian{mesh, {Transport::pairwise, HaloOverlap::off}};
  Vec3 k = ScalarTraits<S>::is_real ? Vec3{0, 0, 0} : Vec3{0.25, 0.1, -0.3};
  std::shared_ptr<const MeshProjectors<S>> projectors =
      std::make_shared<const MeshProjectors<S>>(mesh, k, crystal(), pseudopotentials(), 4.5);
  MeshHamiltonian<S> h{{mesh, laplacian}, k, projectors};
  std::vector<double> potential;

  OnMesh() {
    for (const Int3& point : mesh.points()) potential.push_back(0.3 * random_at({mesh.grid().id(point)}));
    h.set_potential({potential, 1});
    h.set_couplings(made_up<S>(projectors->atom_projectors(), 1.5, 3));
    h.set_overlaps(made_up<S>(projectors->atom_projectors(), overlap_scale, 5));
  }
  Matrix<S> overlaps(BandView<const S> psi) { return projectors->overlaps(h.product(), psi); }
  std::vector<Range> atom_projectors() { return projectors->atom_projectors(); }
};

/// X^H S X, with S X by the operator.
template <class S>
Matrix<S> s_overlap(BandOperator<S>& op, BandView<const S> x) {
  Bands<S> sx(x.rows, x.count);
  op.apply_overlap(x, sx.view());
  return overlap<S>(op.product(), x, std::as_const(sx).view());
}

template <class S>
void expect_orthonormal(BandOperator<S>& op, BandView<const S> x, double tolerance = rounding<S>) {
  const Matrix<S> s = s_overlap(op, x);
  for (Index i = 0; i < s.rows(); ++i)
    for (Index j = 0; j < s.columns(); ++j) EXPECT_LT(std::abs(s(i, j) - S(i == j ? 1 : 0)), tolerance) << i << j;
}

template <class S>
Bands<S> random_bands(BandOperator<S>& op, Index count) {
  Bands<S> x(op.rows(), count);
  op.fill_random(7, x.view());
  return x;
}

/// S psi is psi + sum |p> q <p|psi>, from the projections alone.
template <class S, class Setup>
void expect_definition_of_overlap() {
  Setup at;
  Bands<S> x = random_bands<S>(at.h, 4);
  normalise<S>(at.h.product(), x.view());
  const BandView<const S> psi = std::as_const(x).view();
  const Matrix<S> s = s_overlap<S>(at.h, psi), one = overlap<S>(at.h.product(), psi, psi), c = at.overlaps(psi);
  const auto q = made_up<S>(at.atom_projectors(), overlap_scale, 5);
  double largest = 0;
  for (Index m = 0; m < 4; ++m)
    for (Index n = 0; n < 4; ++n) {
      Complex sum = one(m, n);
      for (std::size_t a = 0; a < q.size(); ++a)
        for (Index i = 0; i < q[a].rows(); ++i)
          for (Index j = 0; j < q[a].rows(); ++j)
            sum += std::conj(Complex(c(at.atom_projectors()[a].begin + i, m))) * q[a](i, j) *
                   Complex(c(at.atom_projectors()[a].begin + j, n));
      EXPECT_LT(std::abs(sum - Complex(s(m, n))), (std::is_same_v<RealOf<S>, float> ? 1e-5 : 1e-12));
      largest = std::max(largest, std::abs(sum - Complex(one(m, n))));
    }
  EXPECT_GT(largest, 0.05);  // S is clearly not 1
}

/// The lowest eigenvalues by LAPACK, of matrices whose columns are H and S times unit vectors.
template <class S>
std::vector<double> dense_values(BandOperator<S>& op, Index count) {
  const Index n = op.dimension();
  std::vector<Index> rows(static_cast<std::size_t>(Comm::world().size()), 0);
  rows[static_cast<std::size_t>(Comm::world().rank())] = op.rows();
  Comm::world().sum(std::span<Index>(rows));
  Index first = 0;
  for (int r = 0; r < Comm::world().rank(); ++r) first += rows[static_cast<std::size_t>(r)];
  Matrix<S> h(n, n), s(n, n);
  Bands<S> unit(op.rows(), 1), out(op.rows(), 1);
  for (Index j = 0; j < n; ++j) {
    std::fill_n(unit.view().data, op.rows(), S(0));
    if (j >= first && j < first + op.rows()) unit.view().data[j - first] = S(1);
    op.apply(std::as_const(unit).view(), out.view());
    std::copy_n(out.view().data, op.rows(), h.data() + j * n + first);
    op.apply_overlap(std::as_const(unit).view(), out.view());
    std::copy_n(out.view().data, op.rows(), s.data() + j * n + first);
  }
  Comm::world().sum(h.elements());
  Comm::world().sum(s.elements());
  Matrix<S> vectors(n, count);
  std::vector<double> values(static_cast<std::size_t>(count));
  EXPECT_TRUE(lapack::cholesky<S>(n, s.data(), n));
  lapack::reduce_to_standard<S>(n, h.data(), n, s.data(), n);
  lapack::eigen<S>(n, h.data(), n, count, values.data(), vectors.data(), n);
  return values;
}

template <class S, class Setup>
void expect_bands_of_dense_matrices() {
  Setup at;
  const std::vector<double> expected = dense_values<S>(at.h, num_bands);
  for (const Eigensolver kind :
       {Eigensolver::lobpcg, Eigensolver::davidson, Eigensolver::chebyshev, Eigensolver::rmm_diis}) {
    SCOPED_TRACE(static_cast<int>(kind));
    const Index count = with_guard_bands<S>(num_bands, at.h);
    EigenState<S> state = lowest_in_span<S>(at.h, random_bands<S>(at.h, 3 * count), count);
    expect_orthonormal<S>(at.h, std::as_const(state.x).view());
    for (Index b = 0; b < count; ++b)  // Rayleigh quotients of the start
      EXPECT_NEAR(real_part(overlap<S>(at.h.product(), std::as_const(state.x).view().slice(b, 1),
                                       std::as_const(state.hx).view().slice(b, 1))(0, 0)),
                  state.values[static_cast<std::size_t>(b)], 1e-9);
    BandSolver<S> solver(kind, std::make_shared<Directions<S>>());
    const ConvergedBands found = converge_bands<S>(at.h, state, solver, num_bands);
    EXPECT_TRUE(found.converged);
    for (Index b = 0; b < num_bands; ++b)
      EXPECT_NEAR(found.values[static_cast<std::size_t>(b)], expected[static_cast<std::size_t>(b)], 1e-6) << b;
    expect_orthonormal<S>(at.h, std::as_const(state.x).view());
    const std::vector<double> squares = squared_residuals<S>(at.h, state);
    for (Index b = 0; b < num_bands; ++b) EXPECT_LT(squares[static_cast<std::size_t>(b)], 1e-5) << b;
  }
}

TEST(OverlapOperator, IsThatOfItsProjections) {
  expect_definition_of_overlap<double, OnWaves<double>>();
  expect_definition_of_overlap<Complex, OnWaves<Complex>>();
  expect_definition_of_overlap<float, OnWaves<float>>();
  expect_definition_of_overlap<SingleComplex, OnWaves<SingleComplex>>();
  expect_definition_of_overlap<double, OnMesh<double>>();
  expect_definition_of_overlap<Complex, OnMesh<Complex>>();
}

TEST(OverlapOperator, BandsOnPlaneWavesAreThoseOfDenseMatrices) {
  expect_bands_of_dense_matrices<Complex, OnWaves<Complex>>();
}

/// The lowest eigenvalues after 30 rounds from random bands, with 3 more bands than are returned.
template <class S>
std::vector<double> improved_values(Eigensolver kind) {
  OnWaves<S> at;
  EigenState<S> state = lowest_in_span<S>(at.h, random_bands<S>(at.h, 3 * num_bands), num_bands + 3);
  BandSolver<S> solver(kind);
  for (int round = 0; round < 30; ++round) solver.improve(at.h, state);
  expect_orthonormal<S>(at.h, std::as_const(state.x).view());
  return {state.values.begin(), state.values.begin() + num_bands};
}

TEST(OverlapOperator, BandsInSinglePrecisionAreThoseInDouble) {
  for (const Eigensolver kind : {Eigensolver::lobpcg, Eigensolver::rmm_diis}) {
    const auto found = improved_values<float>(kind), expected = improved_values<double>(kind);
    for (std::size_t b = 0; b < found.size(); ++b) EXPECT_NEAR(found[b], expected[b], 2e-4) << b;
  }
}

TEST(OverlapOperator, BandsOnAMeshAreThoseOfDenseMatrices) { expect_bands_of_dense_matrices<double, OnMesh<double>>(); }

template <class S>
void expect_orthonormal_after_transfers() {
  OnWaves<S> at;
  const WaveBasis basis{at.h.waves(), at.h.product()};
  Bands<S> x = random_bands<S>(at.h, num_bands);
  EXPECT_EQ(complete_bands<S>(basis, x.view(), 4, &at.h), num_bands - 4);  // a restart with too few bands
  expect_orthonormal<S>(at.h, std::as_const(x).view());
  Bands<S> moved(at.h.rows(), num_bands);
  reassign<S>(basis, std::as_const(x).view().slice(0, 5), basis, moved.view(), nullptr, &at.h);
  expect_orthonormal<S>(at.h, std::as_const(moved).view());
  BandHistory<S> history;
  history.extrapolate(at.h, {1.0}, moved);
  Bands<S> turned = random_bands<S>(at.h, num_bands);
  for (Index i = 0; i < x.rows() * num_bands; ++i)
    turned.view().data[i] = moved.view().data[i] + S(0.05) * turned.view().data[i];
  turned = orthonormal_part<S>(at.h, std::move(turned));
  ASSERT_EQ(turned.count(), num_bands);
  history.extrapolate(at.h, {2.0, -1.0}, turned);
  (void)complete_bands<S>(basis, turned.view(), num_bands, &at.h);
  expect_orthonormal<S>(at.h, std::as_const(turned).view());
}

TEST(OverlapOperator, TransfersKeepBandsOrthonormal) {
  expect_orthonormal_after_transfers<double>();
  expect_orthonormal_after_transfers<Complex>();
}

/// Moves an atom by a Cartesian step, bohr.
Crystal moved_crystal(int atom, const Vec3& step) {
  Crystal moved = crystal();
  for (std::size_t i = 0; i < 3; ++i)
    moved.atoms[static_cast<std::size_t>(atom)].position[i] +=
        dot(step, moved.lattice.reciprocal()[i]) / (2 * units::pi);
  return moved;
}
template <class S>
void set_crystal(OnWaves<S>& at, const Crystal& moved) {
  at.projectors.set_crystal(moved, pseudopotentials());
}
template <class S>
void set_crystal(OnMesh<S>& at, const Crystal& moved) {
  at.projectors = std::make_shared<const MeshProjectors<S>>(at.mesh, at.k, moved, pseudopotentials(), 4.5);
  at.h.set_projectors(at.projectors);
}

/// sum_n f_n <psi_n|V_nl - e_n S|psi_n> for fixed bands as projectors move, and its derivative.
template <class S, class Setup>
void expect_forces_of_energy(Setup& at, BandView<const S> psi, double within) {
  const std::vector<double> f{2, 1.5, 1, 0.5, 0.3, 0}, e{-0.5, -0.4, 0.1, 0.3, 0.6, 0.9};
  BandDerivatives found{.forces = std::vector<Vec3>(2, Vec3{0, 0, 0})};
  at.h.add_derivatives(psi, f, e, false, found);
  const auto energy = [&](int atom, std::size_t axis, double by) {
    Vec3 step{0, 0, 0};
    step[axis] = by;
    set_crystal(at, moved_crystal(atom, step));
    const std::vector<double> s = overlap_norms<S>(at.h, psi), one = squared_norms<S>(at.h.product(), psi);
    Matrix<S> c = at.overlaps(psi);
    std::vector<double> v(f.size());
    Couplings(made_up<S>(at.atom_projectors(), 1.5, 3), at.atom_projectors())
        .template add_expectations<S>(projections_in(c), v);
    double sum = 0;
    for (std::size_t b = 0; b < f.size(); ++b) sum += f[b] * (v[b] - e[b] * (s[b] - one[b]));
    return sum;
  };
  double largest = 0;
  for (const int atom : {0, 1})  // hydrogen has no projectors
    for (const std::size_t axis : {0U, 2U}) {
      const double h = 1e-3, slope = (energy(atom, axis, h) - energy(atom, axis, -h)) / (2 * h);
      largest = std::max(largest, std::abs(slope));
      EXPECT_NEAR(found.forces[static_cast<std::size_t>(atom)][axis], -slope, within * (0.1 + std::abs(slope)));
    }
  EXPECT_GT(largest, 0.001);
}
template <class S>
void expect_forces_on_plane_waves() {
  OnWaves<S> at;
  Bands<S> x = random_bands<S>(at.h, num_bands);
  normalise<S>(at.h.product(), x.view());
  expect_forces_of_energy<S>(at, std::as_const(x).view(), 1e-5);
}

TEST(OverlapOperator, ForcesOfCouplingsAndOverlapsAreThoseOfTheirEnergy) {
  expect_forces_on_plane_waves<double>();
  expect_forces_on_plane_waves<Complex>();
}

// Long waves: forces on a mesh are those of bands that it resolves.
TEST(OverlapOperator, ForcesOnAMeshAreThoseOfTheEnergy) {
  OnMesh<double> at;
  Bands<double> x(at.h.rows(), num_bands);
  Index row = 0;
  for (const Int3& point : at.mesh.points()) {
    const double a = 2 * units::pi * point[0] / 9, b = 2 * units::pi * point[1] / 9, c = 2 * units::pi * point[2] / 10;
    for (Index n = 0; n < num_bands; ++n)
      x.view().band(n)[row] =
          1 + 0.7 * std::cos(a + 0.6 * double(n)) + 0.5 * std::sin(b - double(n)) + 0.6 * std::cos(c + 0.4);
    ++row;
  }
  normalise<double>(at.h.product(), x.view());
  expect_forces_of_energy<double>(at, std::as_const(x).view(), 1e-2);
}

TEST(OverlapOperator, ComplexCouplingsOfRealBandsAreRefused) {
  OnWaves<double> at;
  EXPECT_THROW(at.h.set_overlaps(made_up<Complex>(at.atom_projectors(), 1, 1)), Error);
}

}  // namespace
}  // namespace wavegrid::test_overlap_operator
