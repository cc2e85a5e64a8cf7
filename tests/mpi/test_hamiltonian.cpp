// H and the eigensolvers compared with the matrix of H on the whole sphere, built from its definition.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <map>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include <wavegrid/base/random.hpp>
#include <wavegrid/basis/spherical_harmonics.hpp>
#include <wavegrid/discretisation/initial_density.hpp>
#include <wavegrid/eigen/band_errors.hpp>
#include <wavegrid/eigen/band_solver.hpp>
#include <wavegrid/eigen/missed_states.hpp>
#include <wavegrid/eigen/rmm_diis.hpp>
#include <wavegrid/hamiltonian/hamiltonian.hpp>
#include <wavegrid/hamiltonian/nonlocal_potential.hpp>
#include <wavegrid/linalg/lapack.hpp>
#include <wavegrid/linalg/overlap.hpp>
#include <wavegrid/planewaves/initial_wavefunctions.hpp>
#include <wavegrid/pseudo/gth_table.hpp>

namespace wavegrid::test_hamiltonian {
namespace {

using Complex = std::complex<double>;
using SingleComplex = std::complex<float>;

/// A bound for double precision, or one for that of S.
template <class S>
constexpr double within(double bound, double bound_in_single) {
  return is_single<S> ? bound_in_single : bound;
}

constexpr double ecut = 5.0;
constexpr int smoothness = 2;  // V(G) = 0 beyond this frequency along any axis
constexpr Scheme schemes[] = {Scheme::greedy, Scheme::cyclic, Scheme::balanced, Scheme::optimized};
const Vec3 shifted{0.25, -0.5, 0.125};

const Crystal& crystal() {
  static const Crystal value{Lattice({{{6, 0.5, 0}, {0.2, 5.5, 1}, {-0.5, 0, 6.5}}}),
                             {"Al", "O"},
                             {{0, {0.1, 0.2, -0.3}}, {1, {0.55, 0.6, 0.35}}, {0, {1.7, 0.15, 0.4}}}};
  return value;
}

const Pseudopotentials& pseudopotentials() {
  static const GthTable table(std::string(WAVEGRID_SOURCE_DIR) + "/python/wavegrid/data/pseudopotentials/gth-lda.gth");
  static const Pseudopotentials value{std::make_shared<GthPotential>(table.find("Al")),
                                      std::make_shared<GthPotential>(table.find("O"))};
  return value;
}

/// The smallest grid without aliasing of V psi inside the sphere: N > 2 gmax + smoothness, one more for k.
Int3 grid() {
  const Int3 g = largest_g(crystal().lattice, ecut);
  return {2 * g[0] + smoothness + 3, 2 * g[1] + smoothness + 3, 2 * g[2] + smoothness + 4};
}

/// V(G) of a smooth real potential, Ha.
Complex potential_at(const Int3& g, int seed) {
  for (const int i : g)
    if (std::abs(i) > smoothness) return 0;
  if (g == Int3{0, 0, 0}) return 0.3 * random_at({seed});
  const bool upper = g > Int3{0, 0, 0};
  const Int3 key = upper ? g : Int3{-g[0], -g[1], -g[2]};
  const Complex v(0.1 * random_at({seed, key[0], key[1], key[2], 0}),
                  0.1 * random_at({seed, key[0], key[1], key[2], 1}));
  return upper ? v : std::conj(v);
}

double potential_at_point(const Vec3& fractional, int seed) {
  Complex sum = 0;
  for (int x = -smoothness; x <= smoothness; ++x)
    for (int y = -smoothness; y <= smoothness; ++y)
      for (int z = -smoothness; z <= smoothness; ++z)
        sum += potential_at({x, y, z}, seed) *
               std::polar(1.0, 2 * std::numbers::pi * dot({double(x), double(y), double(z)}, fractional));
  return sum.real();
}

/// One H on the ranks of the world.
template <class S>
struct HamiltonianSetup {
  using Potential = std::vector<RealOf<S>>;
  static constexpr Mode mode = ScalarTraits<S>::is_real ? Mode::gamma : Mode::complex;
  GSphere sphere;
  ProcessGroups levels;
  Partition partition;
  ProcessGrid ranks;
  BandFft<RealOf<S>> fft;
  const PlaneWaves& waves;
  NonlocalPotential<S> nonlocal;
  Hamiltonian<S> h;
  Potential v;

  explicit HamiltonianSetup(Scheme scheme, const Vec3& k = {0, 0, 0}, int seed = 1, int band_groups = 1)
      : sphere(crystal().lattice, ecut, grid(), mode, k),
        levels(Comm::world(), {1, band_groups}),
        partition(make_partition(scheme, sphere.counts(), grid()[0], levels.band_group().size())),
        ranks(levels.band_group(), partition.shape.rows, partition.shape.columns),
        fft(levels, ranks, sphere, partition, {Transport::alltoallv, 1, 3}),
        waves(fft.rows()),
        nonlocal(waves, k, crystal(), pseudopotentials()),
        h(fft, nonlocal, nullptr),
        v(potential(seed)) {
    h.set_potential({v});
  }

  Potential potential(int seed) const {
    Potential values;
    const FftLayout& l = fft.layout();
    for (Index x = l.x.begin; x < l.x.end; ++x)
      for (Index y = l.y.begin; y < l.y.end; ++y)
        for (Index z = 0; z < l.grid[2]; ++z)
          values.push_back(static_cast<RealOf<S>>(
              potential_at_point({double(x) / l.grid[0], double(y) / l.grid[1], double(z) / l.grid[2]}, seed)));
    return values;
  }
};

/// H as a matrix on the whole sphere at k, on every rank.
struct DenseH {
  std::vector<Int3> g;
  std::map<Int3, Index> index;
  Matrix<Complex> h;

  explicit DenseH(const Vec3& k, int seed = 1) {
    const GSphere sphere(crystal().lattice, ecut, grid(), Mode::complex, k);
    for (int stick = 0; stick < sphere.counts().num_sticks(); ++stick)
      for (int n = 0; n < sphere.counts().count[static_cast<std::size_t>(stick)]; ++n) {
        g.push_back(sphere.g(stick, n));
        index[g.back()] = size() - 1;
      }
    h = Matrix<Complex>(size(), size());
    for (Index i = 0; i < size(); ++i)
      for (Index j = 0; j < size(); ++j) {
        const Int3 &a = g[static_cast<std::size_t>(i)], &b = g[static_cast<std::size_t>(j)];
        h(i, j) = potential_at({a[0] - b[0], a[1] - b[1], a[2] - b[2]}, seed) + (i == j ? 0.5 * norm2(q(i, k)) : 0.0);
      }
    for (const Atom& atom : crystal().atoms)
      add_projectors(*pseudopotentials()[static_cast<std::size_t>(atom.species)], atom.position, k);
  }
  Index size() const { return static_cast<Index>(g.size()); }

  std::vector<double> lowest(Index count) const {
    Matrix<Complex> work = h, vectors(size(), count);
    std::vector<double> values(static_cast<std::size_t>(count));
    lapack::eigen<Complex>(size(), work.data(), size(), count, values.data(), vectors.data(), size());
    return values;
  }

 private:
  Vec3 shifted_g(Index i, const Vec3& k) const {
    const Int3& n = g[static_cast<std::size_t>(i)];
    return k + Vec3{double(n[0]), double(n[1]), double(n[2])};
  }
  Vec3 q(Index i, const Vec3& k) const { return crystal().lattice.g_vector(shifted_g(i, k)); }

  /// sum_lm,ij |beta_i> h_ij <beta_j|, the form stated in pseudo/pseudopotential.hpp.
  void add_projectors(const Pseudopotential& atom, const Vec3& position, const Vec3& k) {
    for (int c = 0; c < atom.num_channels(); ++c) {
      const int l = atom.channel_l(c), n = atom.num_projectors(c);
      for (int m = 0; m < 2 * l + 1; ++m) {
        Matrix<Complex> beta(size(), n);
        for (Index i = 0; i < size(); ++i)
          for (int p = 0; p < n; ++p)
            beta(i, p) = std::pow(Complex(0, -1), l) / std::sqrt(crystal().lattice.volume()) *
                         atom.projector(c, p, norm(q(i, k))) * real_ylm(l, m, q(i, k)) *
                         std::polar(1.0, -2 * std::numbers::pi * dot(shifted_g(i, k), position));
        for (int a = 0; a < n; ++a)
          for (int b = 0; b < n; ++b)
            for (Index j = 0; j < size(); ++j)
              for (Index i = 0; i < size(); ++i) h(i, j) += beta(i, a) * atom.coupling(c, a, b) * std::conj(beta(j, b));
      }
    }
  }
};

const DenseH& dense_at(const Vec3& k) {
  static const DenseH at_zero({0, 0, 0}), at_shifted(shifted);
  return norm2(k) == 0 ? at_zero : at_shifted;
}

/// Coefficient of band b; in Gamma mode c(-G) = conj(c(G)).
Complex coefficient(const Int3& g, Index band, bool real) {
  const Int3 minus{-g[0], -g[1], -g[2]};
  if (real && minus > g) return std::conj(coefficient(minus, band, real));
  const bool zero = real && g == Int3{0, 0, 0};
  return {random_at({band, g[0], g[1], g[2], 0}), zero ? 0.0 : random_at({band, g[0], g[1], g[2], 1})};
}

template <class S>
Bands<S> random_bands(const PlaneWaves& waves, Index count) {
  Bands<S> psi(waves.size() * rows_per_wave<S>, count);
  ComplexOf<S>* c = coefficients(psi.view());
  for (Index b = 0; b < count; ++b)
    for (const Int3& g : waves.g()) *c++ = ComplexOf<S>(coefficient(g, b, ScalarTraits<S>::is_real));
  return psi;
}

/// The largest deviation of `out` from M psi on this rank, psi being random_bands.
template <class S>
double deviation(const PlaneWaves& waves, BandView<const S> out, const DenseH& m) {
  double worst = 0;
  const ComplexOf<S>* value = coefficients(out);
  for (Index b = 0; b < out.count; ++b) {
    std::vector<Complex> psi;
    for (const Int3& g : m.g) psi.push_back(coefficient(g, b, ScalarTraits<S>::is_real));
    for (const Int3& g : waves.g()) {
      const Index row = m.index.at(g);
      Complex expected = 0;
      for (Index j = 0; j < m.size(); ++j) expected += m.h(row, j) * psi[static_cast<std::size_t>(j)];
      worst = std::max(worst, std::abs(Complex(*value++) - expected));
    }
  }
  return worst;
}

/// Every scheme with one band group, and the other numbers of band groups with one scheme each; 5 ranks in 2 groups are
/// 3 and 2.
std::vector<std::pair<Scheme, int>> schemes_and_band_groups() {
  std::vector<std::pair<Scheme, int>> all;
  for (const Scheme scheme : schemes) all.emplace_back(scheme, 1);
  for (int groups = 2; groups <= Comm::world().size(); ++groups)
    all.emplace_back(schemes[static_cast<std::size_t>(groups) % 4], groups);
  return all;
}

template <class S>
void expect_matrix_product(const Vec3& k) {
  for (const auto& [scheme, band_groups] : schemes_and_band_groups()) {
    SCOPED_TRACE("scheme " + std::to_string(static_cast<int>(scheme)) + " band groups " + std::to_string(band_groups));
    HamiltonianSetup<S> setup(scheme, k, 1, band_groups);
    const Bands<S> psi = random_bands<S>(setup.waves, 5);
    Bands<S> out = random_bands<S>(setup.waves, 5);
    for (int repeat = 0; repeat < 2; ++repeat) {
      setup.h.apply(psi.view(), out.view());
      EXPECT_LT(deviation<S>(setup.waves, std::as_const(out).view(), dense_at(k)), within<S>(1e-11, 2e-5));
    }
    EXPECT_EQ(setup.h.applications(), 10);
    EXPECT_EQ(setup.h.nonlocal_applications(), 10);
  }
}

TEST(Hamiltonian, IsTheMatrixInGammaMode) { expect_matrix_product<double>({0, 0, 0}); }
TEST(Hamiltonian, IsTheMatrixInSinglePrecision) {
  expect_matrix_product<float>({0, 0, 0});
  expect_matrix_product<SingleComplex>(shifted);
}
TEST(Hamiltonian, IsTheMatrixInComplexMode) { expect_matrix_product<Complex>({0, 0, 0}); }
TEST(Hamiltonian, IsTheMatrixAtAShiftedK) { expect_matrix_product<Complex>(shifted); }

template <class S>
void expect_change_applied(int band_groups) {
  HamiltonianSetup<S> setup(Scheme::balanced, {0, 0, 0}, 1, band_groups);
  const Bands<S> psi = random_bands<S>(setup.waves, 35);  // more than one block
  Bands<S> before = random_bands<S>(setup.waves, 35), after = random_bands<S>(setup.waves, 35);
  setup.h.apply(psi.view(), before.view());
  const auto other = setup.potential(2);
  auto change(other);
  for (std::size_t i = 0; i < change.size(); ++i) change[i] -= setup.v[i];
  setup.h.apply_change(change, psi.view(), before.view());
  setup.h.set_potential({other});
  setup.h.apply(psi.view(), after.view());
  double worst = 0;
  for (Index i = 0; i < psi.rows() * psi.count(); ++i)
    worst = std::max<double>(worst, std::abs(before.view().data[i] - after.view().data[i]));
  EXPECT_LT(worst, within<S>(1e-12, 1e-5));
  EXPECT_EQ(setup.h.applications(), 105);
  EXPECT_EQ(setup.h.nonlocal_applications(), 70);
}

TEST(Hamiltonian, IsUpdatedAfterAChangeOfThePotential) {
  for (const int band_groups : {1, std::min(2, Comm::world().size())}) {
    expect_change_applied<double>(band_groups);
    expect_change_applied<Complex>(band_groups);
    expect_change_applied<float>(band_groups);
    expect_change_applied<SingleComplex>(band_groups);
  }
}

template <class S>
void expect_hermitian(const Vec3& k) {
  for (const Scheme scheme : schemes) {
    HamiltonianSetup<S> setup(scheme, k);
    const Bands<S> psi = random_bands<S>(setup.waves, 6);
    Bands<S> out(psi.rows(), 6);
    setup.h.apply(psi.view(), out.view());
    const Matrix<S> m = overlap<S>(setup.h.product(), psi.view(), std::as_const(out).view());
    const std::vector<double> kinetic = setup.h.kinetic_energies(psi.view());
    for (Index i = 0; i < 6; ++i) {
      for (Index j = 0; j < 6; ++j)
        EXPECT_LT(std::abs(m(i, j) - conjugate(m(j, i))), within<S>(1e-11, 1e-6) * std::abs(m(i, i)));
      double expected = 0;
      const DenseH& dense = dense_at(k);
      for (const Int3& g : dense.g)
        expected += setup.sphere.kinetic(g) * std::norm(coefficient(g, i, ScalarTraits<S>::is_real));
      EXPECT_NEAR(kinetic[static_cast<std::size_t>(i)], expected, within<S>(1e-11, 1e-7) * expected);
    }
  }
}

TEST(Hamiltonian, IsHermitianWithTheKineticEnergyOfTheWholeSphere) {
  expect_hermitian<double>({0, 0, 0});
  expect_hermitian<Complex>(shifted);
  expect_hermitian<float>({0, 0, 0});
  expect_hermitian<SingleComplex>(shifted);
}

constexpr Eigensolver all_solvers[] = {Eigensolver::lobpcg, Eigensolver::davidson, Eigensolver::rmm_diis,
                                       Eigensolver::chebyshev};
constexpr Index num_bands = 9, num_checked = 7;  // the highest ones converge slowly

const std::vector<PseudoAtom>& pseudo_atoms() {
  static const std::vector<PseudoAtom> atoms = solve_pseudo_atoms(pseudopotentials());
  return atoms;
}

template <class S>
void expect_orthonormal(HamiltonianSetup<S>& setup, const EigenState<S>& state) {
  const Matrix<S> m = overlap<S>(setup.h.product(), state.x.view(), state.x.view());
  for (Index i = 0; i < m.rows(); ++i)
    for (Index j = 0; j < m.columns(); ++j) EXPECT_LT(std::abs(m(i, j) - S(i == j ? 1 : 0)), within<S>(1e-10, 1e-5));
}

/// Runs the solver at fixed potential until the checked bands do not change.
template <class S>
void converge(HamiltonianSetup<S>& setup, EigenState<S>& state, Eigensolver kind, int max_rounds = 60) {
  BandSolver<S> solver(kind);
  std::vector<double> weights(static_cast<std::size_t>(state.x.count()));
  std::fill_n(weights.begin(), num_checked, 1.0);
  for (int round = 0; round < max_rounds; ++round) {
    solver.improve(setup.h, state);
    const double error = BandErrors(state.values, weights, compute_residuals<S>(setup.h, state)).total();
    solver.update_convergence(error, 1e8 * error);
    if (error < within<S>(1e-10, 1e-8) && solver.residual_is_reliable()) return;
  }
}

template <class S>
void expect_eigenvalues(Eigensolver kind, InitialWavefunctions start, const Vec3& k, int band_groups = 1) {
  SCOPED_TRACE("solver " + std::to_string(static_cast<int>(kind)) + " start " +
               std::to_string(static_cast<int>(start)));
  const std::vector<double> exact = dense_at(k).lowest(num_bands);
  HamiltonianSetup<S> setup(Scheme::balanced, k, 1, band_groups);
  EigenState<S> state = initial_bands<S>(setup.h, start, k, crystal(), pseudo_atoms(), num_bands);
  expect_orthonormal(setup, state);
  for (std::size_t b = 0; b < num_bands; ++b)
    EXPECT_GT(state.values[b], exact[b] - within<S>(1e-10, 1e-5));  // Courant-Fischer
  converge(setup, state, kind);
  expect_orthonormal(setup, state);
  for (std::size_t b = 0; b < num_checked; ++b)
    EXPECT_NEAR(state.values[b], exact[b], within<S>(1e-8, 1e-5)) << "band " << b;
}

TEST(BandSolver, LobpcgFindsTheLowestStates) {
  expect_eigenvalues<double>(Eigensolver::lobpcg, InitialWavefunctions::lcao, {0, 0, 0});
  expect_eigenvalues<double>(Eigensolver::lobpcg, InitialWavefunctions::random, {0, 0, 0});
  expect_eigenvalues<Complex>(Eigensolver::lobpcg, InitialWavefunctions::lcao, {0, 0, 0});
  expect_eigenvalues<Complex>(Eigensolver::lobpcg, InitialWavefunctions::lcao, shifted);
}
TEST(BandSolver, TheLowestStatesAreFoundInSinglePrecision) {
  for (const Eigensolver kind : all_solvers) {
    expect_eigenvalues<float>(kind, InitialWavefunctions::lcao, {0, 0, 0});
    expect_eigenvalues<SingleComplex>(kind, InitialWavefunctions::lcao, shifted);
  }
  expect_eigenvalues<float>(Eigensolver::lobpcg, InitialWavefunctions::random, {0, 0, 0});
}
/// Rounding ends convergence there; more rounds must not increase the error.
template <class S>
void expect_rounding_withstood(Eigensolver kind) {
  SCOPED_TRACE("solver " + std::to_string(static_cast<int>(kind)));
  const std::vector<double> exact = dense_at({0, 0, 0}).lowest(num_bands);
  HamiltonianSetup<S> setup(Scheme::balanced);
  EigenState<S> state =
      initial_bands<S>(setup.h, InitialWavefunctions::lcao, {0, 0, 0}, crystal(), pseudo_atoms(), num_bands);
  BandSolver<S> solver(kind);
  for (int round = 0; round < 60; ++round) solver.improve(setup.h, state);
  expect_orthonormal(setup, state);
  for (std::size_t b = 0; b < num_checked; ++b) EXPECT_NEAR(state.values[b], exact[b], 5e-5) << "band " << b;
}

TEST(BandSolver, SinglePrecisionStaysAtItsLimit) {
  for (const Eigensolver kind : {Eigensolver::lobpcg, Eigensolver::davidson, Eigensolver::chebyshev}) {
    expect_rounding_withstood<float>(kind);
    expect_rounding_withstood<SingleComplex>(kind);
  }
}
TEST(BandSolver, TheLowestStatesAreFoundInBandGroups) {
  const int size = Comm::world().size();
  if (size == 1) return;
  expect_eigenvalues<double>(Eigensolver::rmm_diis, InitialWavefunctions::lcao, {0, 0, 0}, 2);
  expect_eigenvalues<Complex>(Eigensolver::lobpcg, InitialWavefunctions::random, shifted, size);
  expect_eigenvalues<double>(Eigensolver::chebyshev, InitialWavefunctions::lcao, {0, 0, 0}, 2);
  expect_eigenvalues<Complex>(Eigensolver::davidson, InitialWavefunctions::lcao, shifted, size);
}
TEST(BandSolver, DavidsonFindsTheLowestStates) {
  expect_eigenvalues<double>(Eigensolver::davidson, InitialWavefunctions::lcao, {0, 0, 0});
  expect_eigenvalues<double>(Eigensolver::davidson, InitialWavefunctions::random, {0, 0, 0});
  expect_eigenvalues<Complex>(Eigensolver::davidson, InitialWavefunctions::lcao, shifted);
}
TEST(BandSolver, ChebyshevFindsTheLowestStates) {
  expect_eigenvalues<double>(Eigensolver::chebyshev, InitialWavefunctions::lcao, {0, 0, 0});
  expect_eigenvalues<double>(Eigensolver::chebyshev, InitialWavefunctions::random, {0, 0, 0});
  expect_eigenvalues<Complex>(Eigensolver::chebyshev, InitialWavefunctions::lcao, shifted);
  expect_eigenvalues<Complex>(Eigensolver::chebyshev, InitialWavefunctions::random, shifted);
  expect_eigenvalues<float>(Eigensolver::chebyshev, InitialWavefunctions::random, {0, 0, 0});
}
TEST(BandSolver, RmmDiisFindsTheLowestStates) {
  expect_eigenvalues<double>(Eigensolver::rmm_diis, InitialWavefunctions::lcao, {0, 0, 0});
  expect_eigenvalues<Complex>(Eigensolver::rmm_diis, InitialWavefunctions::lcao, shifted);
}

template <class S>
void expect_change_followed(Eigensolver kind) {
  HamiltonianSetup<S> setup(Scheme::cyclic);
  EigenState<S> state =
      initial_bands<S>(setup.h, InitialWavefunctions::lcao, {0, 0, 0}, crystal(), pseudo_atoms(), num_bands);
  BandSolver<S> solver(kind);
  for (int round = 0; round < 5; ++round) {
    solver.improve(setup.h, state);
    solver.update_convergence(std::pow(0.1, round), round % 2 == 1 ? 1 : 1e9);  // to LOBPCG steps and back
    auto change = setup.potential(2 + round % 2);
    for (auto& v : change) v *= RealOf<S>(0.1);
    for (std::size_t i = 0; i < change.size(); ++i) setup.v[i] += change[i];
    solver.potential_changed(setup.h, state, change);
    Bands<S> image(state.x.rows(), num_bands);
    setup.h.apply(std::as_const(state.x).view(), image.view());
    double worst = 0;
    for (Index i = 0; i < image.rows() * image.count(); ++i)
      worst = std::max<double>(worst, std::abs(image.view().data[i] - state.hx.view().data[i]));
    EXPECT_LT(worst, within<S>(1e-10, 1e-5));
  }
}

TEST(BandSolver, UpdatesHxAfterChangesOfThePotential) {
  for (const Eigensolver kind : all_solvers) {
    expect_change_followed<double>(kind);
    expect_change_followed<Complex>(kind);
    expect_change_followed<float>(kind);
  }
}

template <class S>
void expect_bound(const Vec3& k) {
  const DenseH& dense = dense_at(k);
  const double highest = dense.lowest(dense.size()).back();
  HamiltonianSetup<S> setup(Scheme::balanced, k);
  const double bound = spectrum_upper_bound<S>(setup.h);
  EXPECT_GT(bound, highest);
  EXPECT_LT(bound, 1.5 * highest);
}

TEST(Chebyshev, TheBoundIsAboveTheSpectrum) {
  expect_bound<double>({0, 0, 0});
  expect_bound<Complex>(shifted);
  expect_bound<float>({0, 0, 0});
}

/// With bounds on the residuals H is applied to fewer bands, and the errors stay within the bounds.
template <class S>
void expect_locking(Eigensolver kind) {
  SCOPED_TRACE(to_string(kind));
  const std::vector<double> exact = dense_at({0, 0, 0}).lowest(num_bands);
  Index applications[2];
  for (const bool locks : {false, true}) {
    HamiltonianSetup<S> setup(Scheme::greedy);
    EigenState<S> state =
        initial_bands<S>(setup.h, InitialWavefunctions::lcao, {0, 0, 0}, crystal(), pseudo_atoms(), num_bands);
    BandSolver<S> solver(kind);
    if (locks) solver.lock_below(LockBounds(num_bands, 1e-10));
    for (int round = 0; round < 40; ++round) solver.improve(setup.h, state);
    expect_orthonormal(setup, state);
    for (std::size_t b = 0; b < num_checked; ++b) EXPECT_NEAR(state.values[b], exact[b], 1e-8);
    applications[locks ? 1 : 0] = setup.h.applications();
  }
  EXPECT_LT(applications[1], applications[0] * 3 / 4);
}

TEST(BandSolver, LockedBandsCostNoApplications) {
  for (const Eigensolver kind : {Eigensolver::lobpcg, Eigensolver::davidson, Eigensolver::chebyshev}) {
    expect_locking<double>(kind);
    expect_locking<Complex>(kind);
  }
}

/// The bands of `all` without the one at `removed`.
template <class S>
EigenState<S> without(const EigenState<S>& all, Index removed) {
  EigenState<S> state(all.x.rows(), all.x.count() - 1);
  for (Index b = 0, to = 0; b < all.x.count(); ++b) {
    if (b == removed) continue;
    std::copy_n(all.x.view().band(b), all.x.rows(), state.x.view().band(to));
    std::copy_n(all.hx.view().band(b), all.x.rows(), state.hx.view().band(to));
    state.values[static_cast<std::size_t>(to++)] = all.values[static_cast<std::size_t>(b)];
  }
  return state;
}

template <class S>
void expect_recovery() {
  const std::vector<double> exact = dense_at({0, 0, 0}).lowest(num_bands);
  HamiltonianSetup<S> setup(Scheme::greedy);
  EigenState<S> whole =
      initial_bands<S>(setup.h, InitialWavefunctions::lcao, {0, 0, 0}, crystal(), pseudo_atoms(), num_bands);
  converge(setup, whole, Eigensolver::lobpcg);
  std::vector<double> occupations(num_bands, 0.0);
  std::fill_n(occupations.begin(), 6, 2.0);
  EXPECT_EQ(recover_missed_states(setup.h, whole, occupations, 1e-7), 0);
  occupations.pop_back();
  for (const Index removed : {0, 3}) {
    EigenState<S> state = without(whole, removed);
    EXPECT_GT(recover_missed_states(setup.h, state, occupations, 1e-7), 0) << "removed " << removed;
    expect_orthonormal(setup, state);
    for (std::size_t b = 0; b < 6; ++b) EXPECT_NEAR(state.values[b], exact[b], 0.02) << "removed " << removed;
    converge(setup, state, Eigensolver::lobpcg);
    for (std::size_t b = 0; b < 6; ++b)
      EXPECT_NEAR(state.values[b], exact[b], within<S>(1e-8, 1e-5)) << "removed " << removed;
  }
}

TEST(MissedStates, ARemovedStateIsFoundAgain) {
  expect_recovery<double>();
  expect_recovery<Complex>();
  expect_recovery<float>();
}

}  // namespace
}  // namespace wavegrid::test_hamiltonian
