// Every eigensolver on operators without plane waves: a dense matrix, a generalised problem H x = e S x, and finite
// differences with the grid spacing as the weight of the inner product. Real and complex, double and single
// precision.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <string>
#include <vector>

#include <wavegrid/eigen/band_errors.hpp>
#include <wavegrid/eigen/band_solver.hpp>
#include <wavegrid/eigen/chebyshev.hpp>
#include <wavegrid/eigen/converge_bands.hpp>
#include <wavegrid/eigen/missed_states.hpp>
#include <wavegrid/eigen/orthonormalise.hpp>
#include <wavegrid/linalg/overlap.hpp>

#include "dense_operator.hpp"

namespace wavegrid::test_eigensolvers {
namespace {

template <class S>
constexpr double within(double bound, double bound_in_single) {
  return is_single<S> ? bound_in_single : bound;
}

constexpr Eigensolver all_solvers[] = {Eigensolver::lobpcg, Eigensolver::davidson, Eigensolver::rmm_diis,
                                       Eigensolver::chebyshev};
constexpr Index num_bands = 8, num_checked = 6;  // the highest ones converge slowly

template <class S>
EigenState<S> random_start(BandOperator<S>& op, Index bands = num_bands, Index seed = 5) {
  EigenState<S> state(op.rows(), bands, op.has_overlap());
  op.fill_random(seed, state.x.view());
  apply_h_and_s(op, state.view());
  rayleigh_ritz(op, state);
  return state;
}

template <class S>
void expect_orthonormal(BandOperator<S>& op, const EigenState<S>& state) {
  Bands<S> sx(op.rows(), num_bands);
  BandView<const S> s_x = state.x.view();
  if (op.has_overlap()) {
    op.apply_overlap(state.x.view(), sx.view());
    s_x = std::as_const(sx).view();
  }
  const Matrix<S> m = overlap<S>(op.product(), state.x.view(), s_x);
  for (Index i = 0; i < m.rows(); ++i)
    for (Index j = 0; j < m.columns(); ++j) EXPECT_LT(std::abs(m(i, j) - S(i == j ? 1 : 0)), within<S>(1e-10, 2e-5));
}

/// HX and SX kept by the solver are those of the bands.
template <class S>
void expect_consistent_hpsi(BandOperator<S>& op, const EigenState<S>& state, double scale) {
  HsBands<S> fresh(op.rows(), num_bands, op.has_overlap());
  copy_bands<S>(state.view(), fresh.view());
  apply_h_and_s(op, fresh.view());
  double worst = 0;
  for (Index i = 0; i < op.rows() * num_bands; ++i) {
    worst = std::max<double>(worst, std::abs(fresh.hx.view().data[i] - state.hx.view().data[i]));
    worst = std::max<double>(worst, std::abs(fresh.view().sx.data[i] - state.view().sx.data[i]));
  }
  EXPECT_LT(worst,
            scale * within<S>(1e-11, 4e-5));  // H has norm 18: rounding of hundreds of rounds in single precision
}

/// Runs the solver until the checked bands do not change; returns the number of rounds.
template <class S>
int converge(BandOperator<S>& op, EigenState<S>& state, Eigensolver kind, double tolerance) {
  BandSolver<S> solver(kind);
  std::vector<double> weights(num_bands, 0.0);
  std::fill_n(weights.begin(), num_checked, 1.0);
  int round = 0;
  for (; round < 100; ++round) {
    solver.improve(op, state);
    const double error = BandErrors(state.values, weights, compute_residuals(op, state)).total();
    solver.update_convergence(error, error / (100 * tolerance));
    if (error < tolerance && solver.residual_is_reliable()) break;
  }
  return round;
}

template <class S>
void expect_lowest(BandOperator<S>& op, const std::vector<double>& exact, double scale) {
  for (const Eigensolver kind : all_solvers) {
    SCOPED_TRACE(to_string(kind));
    EigenState<S> state = random_start(op);
    for (std::size_t b = 0; b < num_bands; ++b) EXPECT_GT(state.values[b], exact[b] - scale * within<S>(1e-12, 1e-5));
    EXPECT_LT(converge(op, state, kind, scale * scale * within<S>(1e-14, 1e-8)), 100);
    expect_orthonormal(op, state);
    expect_consistent_hpsi(op, state, scale);
    for (std::size_t b = 0; b < num_checked; ++b)
      EXPECT_NEAR(state.values[b], exact[b], scale * within<S>(1e-10, 2e-5)) << "band " << b;
  }
}

template <class S>
class Eigensolvers : public testing::Test {};
using Scalars = testing::Types<double, std::complex<double>, float, std::complex<float>>;
TYPED_TEST_SUITE(Eigensolvers, Scalars);

TYPED_TEST(Eigensolvers, FindTheLowestStatesOfADenseMatrix) {
  DenseOperator<TypeParam> op(rising_matrix<TypeParam>(97));
  expect_lowest<TypeParam>(op, op.lowest(num_bands), 1.0);
}

TYPED_TEST(Eigensolvers, SolveAGeneralisedProblem) {
  DenseOperator<TypeParam> op(rising_matrix<TypeParam>(89), overlap_matrix<TypeParam>(89));
  expect_lowest<TypeParam>(op, op.lowest(num_bands), 1.0);
}

/// One smooth function more than there are bands.
template <class S>
class FewSmoothFunctions : public DenseOperator<S> {
 public:
  using DenseOperator<S>::DenseOperator;
  void fill_random(Index first_key, BandView<S> x, RandomSpectrum spectrum) override {
    DenseOperator<S>::fill_random(first_key, x, spectrum);
    if (spectrum == RandomSpectrum::flat) return;
    for (Index b = 0; b < x.count; ++b)
      for (Index i = 0; i < x.rows; ++i)
        if (block_of_rows(97).begin + i > num_bands) x.band(b)[i] = S(0);
  }
};

TYPED_TEST(Eigensolvers, FindStatesBeyondAllSmoothFunctions) {
  FewSmoothFunctions<TypeParam> op(rising_matrix<TypeParam>(97));
  expect_lowest<TypeParam>(op, op.lowest(num_bands), 1.0);
  EigenState<TypeParam> state = random_start<TypeParam>(op);
  const std::vector<double> full(num_bands, 1.0);
  EXPECT_GE(recover_missed_states<TypeParam>(op, state, full, 1e-8), 0);
}

TYPED_TEST(Eigensolvers, WorkWithTheSpacingAsTheWeight) {
  DenseOperator<TypeParam> op = oscillator<TypeParam>(101, 12.0);
  const std::vector<double> exact = op.lowest(num_bands);
  for (std::size_t n = 0; n < 3; ++n) EXPECT_NEAR(exact[n], static_cast<double>(n) + 0.5, 0.01);
  expect_lowest<TypeParam>(op, exact, 10.0);  // the spectrum ends near 2 / h^2 = 145
  EigenState<TypeParam> state = random_start<TypeParam>(op);
  // <x|x> = h sum x^2 = 1
  double sum = 0;
  for (Index i = 0; i < op.rows(); ++i) sum += std::norm(std::complex<double>(state.x.view().data[i]));
  EXPECT_NEAR(op.product().comm.sum(sum) * op.product().weight, 1.0, within<TypeParam>(1e-12, 1e-5));
}

/// If S is multiplied by a number, the eigenvalues are divided by it.
TYPED_TEST(Eigensolvers, AScaledOverlapScalesTheEigenvalues) {
  using S = TypeParam;
  Matrix<S> s(61, 61);
  for (Index i = 0; i < 61; ++i) s(i, i) = S(4);
  DenseOperator<S> plain(rising_matrix<S>(61)), scaled(rising_matrix<S>(61), std::move(s));
  std::vector<double> exact = plain.lowest(num_bands);
  for (double& value : exact) value /= 4;
  expect_lowest<S>(scaled, exact, 1.0);
}

TYPED_TEST(Eigensolvers, LockedBandsCostNoApplications) {
  using S = TypeParam;
  if (is_single<S>) return;
  for (const Eigensolver kind : {Eigensolver::lobpcg, Eigensolver::davidson, Eigensolver::chebyshev}) {
    SCOPED_TRACE(to_string(kind));
    Index applications[2];
    for (const bool locks : {false, true}) {
      DenseOperator<S> op(rising_matrix<S>(97), overlap_matrix<S>(97));
      EigenState<S> state = random_start<S>(op);
      BandSolver<S> solver(kind);
      if (locks) solver.lock_below(LockBounds(num_bands, 1e-10));
      for (int round = 0; round < 40; ++round) solver.improve(op, state);
      applications[locks ? 1 : 0] = op.applications();
      const std::vector<double> exact = op.lowest(num_bands);
      for (std::size_t b = 0; b < num_checked; ++b) EXPECT_NEAR(state.values[b], exact[b], 1e-8);
    }
    EXPECT_LT(applications[1], applications[0] * 3 / 4);
  }
}

/// The highest of the bands and the states above it are nearly degenerate: it still converges where the others have
/// long done so.
template <class S>
Matrix<S> nearly_degenerate_matrix(Index n) {
  Matrix<S> h(n, n);
  for (Index j = 0; j < n; ++j) h(j, j) = S(RealOf<S>(0.1 * static_cast<double>(j) * (j > num_bands + 3 ? 3 : 1)));
  for (Index j = num_bands - 1; j < num_bands + 4; ++j) h(j, j) = S(RealOf<S>(0.9 + 1e-4 * static_cast<double>(j)));
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < j; ++i) {
      h(i, j) = RealOf<S>(0.01) * random_element<S>(i, j, 3);
      h(j, i) = conjugate(h(i, j));
    }
  return h;
}

/// Far beyond convergence nothing but rounding is left to improve, and no solver may turn that into a change.
TYPED_TEST(Eigensolvers, StayConvergedForHundredsOfRounds) {
  using S = TypeParam;
  if (Comm::world().size() > 2) GTEST_SKIP() << "for 1 and 2 ranks: many rounds";
  for (const bool generalised : {false, true})
    for (const Eigensolver kind : all_solvers) {
      SCOPED_TRACE(to_string(kind));
      DenseOperator<S> op(nearly_degenerate_matrix<S>(61), generalised ? overlap_matrix<S>(61) : Matrix<S>());
      const std::vector<double> exact = op.lowest(num_bands);
      // In single precision HX drifts further than the bound from some starts, whatever solves the subspaces.
      EigenState<S> state = random_start<S>(op, num_bands, 6);
      BandSolver<S> solver(kind);
      double worst = 0;
      for (int round = 0; round < 300; ++round) {
        solver.improve(op, state);
        const std::vector<double> full(num_bands, 1.0);
        solver.update_convergence(BandErrors(state.values, full, compute_residuals(op, state)).total(), 1e9);
        if (round < 100) continue;
        for (std::size_t b = 0; b < num_checked; ++b) worst = std::max(worst, std::abs(state.values[b] - exact[b]));
      }
      EXPECT_LT(worst, within<S>(1e-12, 1e-4));
      expect_orthonormal(op, state);
      expect_consistent_hpsi(op, state, 1.0);
    }
}

TYPED_TEST(Eigensolvers, AMissedStateIsFoundAgain) {
  using S = TypeParam;
  DenseOperator<S> op(rising_matrix<S>(97), overlap_matrix<S>(97));
  const std::vector<double> exact = op.lowest(num_bands);
  EigenState<S> whole = random_start<S>(op);
  (void)converge<S>(op, whole, Eigensolver::lobpcg, within<S>(1e-14, 1e-8));
  std::vector<double> occupations(num_bands, 0.0);
  std::fill_n(occupations.begin(), num_checked, 2.0);
  EXPECT_EQ(recover_missed_states<S>(op, whole, occupations, 1e-7), 0);
  // The third state is removed, and those above it move down.
  EigenState<S> state(op.rows(), num_bands - 1, true);
  copy_bands<S>(std::as_const(whole).view().slice(0, 2), state.view().slice(0, 2));
  copy_bands<S>(std::as_const(whole).view().slice(3, num_bands - 3), state.view().slice(2, num_bands - 3));
  state.values = whole.values;
  state.values.erase(state.values.begin() + 2);
  occupations.pop_back();
  EXPECT_GT(recover_missed_states<S>(op, state, occupations, 1e-7), 0);
  for (std::size_t b = 0; b < num_checked - 1; ++b) EXPECT_NEAR(state.values[b], exact[b], 0.01) << "band " << b;
}

/// Insulators of small cells have no empty bands, and two or three vectors search for the missed state.
TYPED_TEST(Eigensolvers, AMissedStateOfAFewOccupiedBandsIsFoundAgain) {
  using S = TypeParam;
  DenseOperator<S> op(rising_matrix<S>(97), overlap_matrix<S>(97));
  EigenState<S> whole = random_start<S>(op);
  (void)converge<S>(op, whole, Eigensolver::lobpcg, within<S>(1e-14, 1e-8));
  for (const Index bands : {2, 3, 4, 5})
    for (Index removed = 0; removed < bands; ++removed) {
      EigenState<S> state(op.rows(), bands, true);
      state.values.clear();
      for (Index b = 0; b <= bands; ++b) {
        if (b == removed) continue;
        const Index to = static_cast<Index>(state.values.size());
        copy_bands<S>(std::as_const(whole).view().slice(b, 1), state.view().slice(to, 1));
        state.values.push_back(whole.values[static_cast<std::size_t>(b)]);
      }
      const std::vector<double> occupations(static_cast<std::size_t>(bands), 2.0);
      EXPECT_EQ(recover_missed_states<S>(op, state, occupations, 1e-7), 1) << removed << " of " << bands;
      EXPECT_EQ(recover_missed_states<S>(op, state, occupations, 1e-7), 0) << removed << " of " << bands;
    }
}

TYPED_TEST(Eigensolvers, TheBoundIsAboveTheSpectrum) {
  using S = TypeParam;
  for (const bool generalised : {false, true}) {
    DenseOperator<S> op(rising_matrix<S>(73), generalised ? overlap_matrix<S>(73) : Matrix<S>());
    const double highest = op.lowest(73).back(), bound = spectrum_upper_bound<S>(op);
    EXPECT_GT(bound, highest);
    EXPECT_LT(bound, 1.5 * highest);
  }
}

TYPED_TEST(Eigensolvers, TheOverlapIsInvertedByConjugateGradients) {
  using S = TypeParam;
  DenseOperator<S> op(rising_matrix<S>(53), overlap_matrix<S>(53));
  Bands<S> x(op.rows(), 3), b(op.rows(), 3), solved(op.rows(), 3);
  op.fill_random(1, x.view(), RandomSpectrum::flat);
  op.apply_overlap(std::as_const(x).view(), b.view());
  op.solve_overlap(std::as_const(b).view(), solved.view());
  for (Index i = 0; i < 3 * op.rows(); ++i)
    EXPECT_LT(std::abs(solved.view().data[i] - x.view().data[i]), within<S>(1e-11, 1e-4));
}

template <class S>
class ConvergeBands : public testing::Test {};
using DoubleScalars = testing::Types<double, std::complex<double>>;
TYPED_TEST_SUITE(ConvergeBands, DoubleScalars);

template <class S>
Matrix<S> times(Matrix<S> m, double factor) {
  for (Index i = 0; i < m.size(); ++i) m.data()[i] *= static_cast<RealOf<S>>(factor);
  return m;
}

constexpr double units[] = {1e-3, 1.0, 1e6};  // of H

/// The error that is reported bounds the true one, apart from rounding.
void expect_bounded(const ConvergedBands& bands, const std::vector<double>& exact, double tolerance, double unit) {
  EXPECT_TRUE(bands.converged);
  EXPECT_LE(bands.error, tolerance);
  ASSERT_EQ(bands.values.size(), static_cast<std::size_t>(num_checked));
  for (std::size_t b = 0; b < num_checked; ++b)
    EXPECT_NEAR(bands.values[b], exact[b], bands.error + 1e-12 * unit) << "band " << b;
}

/// In every unit of H, by every solver, with about the same number of applications.
template <class S>
void expect_no_unit(const Matrix<S>& h, const Matrix<S>& s) {
  for (const Eigensolver kind : all_solvers) {
    SCOPED_TRACE(to_string(kind));
    Index applications = 0;
    for (const double unit : {1.0, 1e-3, 1e6}) {
      SCOPED_TRACE(unit);
      DenseOperator<S> op(times(h, unit), s, 1, {}, unit);
      const std::vector<double> exact = op.lowest(num_checked + 4);
      EigenState<S> state = random_start<S>(op, with_guard_bands<S>(num_checked, op));
      BandSolver<S> solver(kind);
      const ConvergedBands bands = converge_bands<S>(op, state, solver, num_checked);
      expect_bounded(bands, exact, 1.01e-9 * (exact.back() - exact.front()), unit);
      if (unit == 1.0) applications = op.applications();
      EXPECT_LE(std::abs(op.applications() - applications), applications / 4);
    }
  }
}

TYPED_TEST(ConvergeBands, TheUnitOfEnergyDoesNotMatter) {
  if (Comm::world().size() > 4) GTEST_SKIP() << "for up to 4 ranks: many solves";
  using S = TypeParam;
  expect_no_unit<S>(rising_matrix<S>(97), {});
  expect_no_unit<S>(rising_matrix<S>(89), overlap_matrix<S>(89));
  expect_no_unit<S>(nearly_degenerate_matrix<S>(61), {});
}

TYPED_TEST(ConvergeBands, TolerancesMayBeInTheUnitOfH) {
  using S = TypeParam;
  for (const double unit : units) {
    SCOPED_TRACE(unit);
    DenseOperator<S> op(times(rising_matrix<S>(97), unit), {}, 1, {}, unit);
    for (const double error : {1e-5, 1e-9}) {
      EigenState<S> state = random_start<S>(op, 10);
      BandSolver<S> solver(Eigensolver::lobpcg);
      const BandTolerance tolerance{.error = error * unit, .relative = false, .gap = 0.1 * unit};
      expect_bounded(converge_bands<S>(op, state, solver, num_checked, tolerance), op.lowest(num_checked), error * unit,
                     unit);
    }
  }
}

/// Without the unit of the operator, which only scales its preconditioner.
TYPED_TEST(ConvergeBands, AnOperatorOfUnknownUnitConverges) {
  using S = TypeParam;
  for (const double unit : units) {
    SCOPED_TRACE(unit);
    DenseOperator<S> op(times(rising_matrix<S>(97), unit));
    EigenState<S> state = random_start<S>(op, 10);
    BandSolver<S> solver(Eigensolver::chebyshev);
    expect_bounded(converge_bands<S>(op, state, solver, num_checked), op.lowest(num_checked), 2e-9 * unit, unit);
  }
}

TYPED_TEST(ConvergeBands, AMissedStateIsFoundInEveryUnit) {
  using S = TypeParam;
  for (const double unit : units) {
    SCOPED_TRACE(unit);
    DenseOperator<S> op(times(rising_matrix<S>(97), unit), {}, 1, {}, unit);
    EigenState<S> whole = random_start<S>(op, num_checked + 5);
    BandSolver<S> solver(Eigensolver::lobpcg);
    (void)converge_bands<S>(op, whole, solver, num_checked);
    EigenState<S> state(op.rows(), num_checked + 4);  // without the third state
    copy_bands<S>(std::as_const(whole).view().slice(0, 2), state.view().slice(0, 2));
    copy_bands<S>(std::as_const(whole).view().slice(3, num_checked + 2), state.view().slice(2, num_checked + 2));
    state.values = whole.values;
    state.values.erase(state.values.begin() + 2);
    solver.restart();
    expect_bounded(converge_bands<S>(op, state, solver, num_checked), op.lowest(num_checked), 2e-9 * unit, unit);
  }
}

TYPED_TEST(ConvergeBands, RoundsThatDoNotSufficeAreReported) {
  using S = TypeParam;
  DenseOperator<S> op(rising_matrix<S>(97));
  EigenState<S> state = random_start<S>(op, 10);
  BandSolver<S> solver(Eigensolver::rmm_diis);
  const ConvergedBands bands = converge_bands<S>(op, state, solver, num_checked, {.max_rounds = 2});
  EXPECT_FALSE(bands.converged);
  EXPECT_GT(bands.error, 1e-9);
}

TEST(EigensolverErrors, AnOperatorWithoutAPotentialRefusesChanges) {
  DenseOperator<double> op(rising_matrix<double>(11));
  Bands<double> x(op.rows(), 1), hx(op.rows(), 1);
  EXPECT_THROW(op.BandOperator<double>::apply_change({}, std::as_const(x).view(), hx.view()), std::exception);
}

}  // namespace
}  // namespace wavegrid::test_eigensolvers
