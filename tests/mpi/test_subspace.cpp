// Overlaps and rotations of distributed bands compared with dense sums over all rows, and eigenvalue problems with
// known solutions.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <string>
#include <vector>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/random.hpp>
#include <wavegrid/basis/wave_rows.hpp>
#include <wavegrid/layout/block_layout.hpp>
#include <wavegrid/linalg/distributed_eigen.hpp>
#include <wavegrid/linalg/lapack.hpp>
#include <wavegrid/linalg/overlap.hpp>
#include <wavegrid/linalg/rotate.hpp>
#include <wavegrid/linalg/subspace.hpp>

namespace wavegrid::test_subspace {
namespace {

using Complex = std::complex<double>;

/// A bound for double precision, or one for single.
template <class S>
constexpr double within(double bound, double bound_in_single) {
  return is_single<S> ? bound_in_single : bound;
}

template <class S>
class Subspace : public testing::Test {};
using Scalars = testing::Types<double, Complex, float, std::complex<float>>;
TYPED_TEST_SUITE(Subspace, Scalars);

/// Coefficient of global plane wave g, the same for every layout; real at g = zero if S is. Rounded to S.
template <class S>
Complex coefficient(Index g, Index band, int seed, Index zero) {
  const bool real = ScalarTraits<S>::is_real && g == zero;
  return ComplexOf<S>(Complex(random_at({seed, band, g, 0}), real ? 0.0 : random_at({seed, band, g, 1})));
}

/// Plane waves in blocks over the ranks of the world, the last rank empty where there is more than one.
struct Split {
  Index num_waves, zero;
  Comm comm = Comm::world();
  Range mine{};

  Split(Index n, Index zero_wave) : num_waves(n), zero(zero_wave) {
    const int filled = std::max(comm.size() - 1, 1);
    if (comm.rank() < filled) mine = BlockLayout(n, filled).range(comm.rank());
  }
  template <class S>
  InnerProduct product() const {
    if (!ScalarTraits<S>::is_real) return {.comm = comm};
    return {.comm = comm, .weight = 2, .single_row = mine.contains(zero) ? (zero - mine.begin) * rows_per_wave<S> : -1};
  }
  template <class S>
  Bands<S> bands(Index count, int seed) const {
    Bands<S> out(mine.size() * rows_per_wave<S>, count);
    ComplexOf<S>* c = coefficients(out.view());
    for (Index b = 0; b < count; ++b)
      for (Index g = mine.begin; g < mine.end; ++g) *c++ = ComplexOf<S>(coefficient<S>(g, b, seed, zero));
    return out;
  }
  /// <a|b> by the definition in docs/conventions.md: in Gamma mode over both halves of the sphere.
  template <class S>
  DoubleOf<S> dense(Index a, int seed_a, Index b, int seed_b) const {
    Complex sum = 0;
    for (Index g = 0; g < num_waves; ++g) {
      const Complex term = std::conj(coefficient<S>(g, a, seed_a, zero)) * coefficient<S>(g, b, seed_b, zero);
      sum += term;
      if (ScalarTraits<S>::is_real && g != zero) sum += std::conj(term);
    }
    if constexpr (ScalarTraits<S>::is_real)
      return sum.real();
    else
      return sum;
  }
};

TYPED_TEST(Subspace, OverlapsEqualDenseSums) {
  using S = TypeParam;
  for (const auto& [n, zero] : {std::pair<Index, Index>{101, 0}, {97, 43}, {3, 2}, {1, 0}}) {
    SCOPED_TRACE(std::to_string(n) + " plane waves");
    const Split split(n, zero);
    const Bands<S> a = split.bands<S>(5, 1), b = split.bands<S>(3, 2);
    const Matrix<S> m = overlap<S>(split.product<S>(), a.view(), b.view());
    ASSERT_EQ(m.rows(), 5);
    ASSERT_EQ(m.columns(), 3);
    for (Index i = 0; i < 5; ++i)
      for (Index j = 0; j < 3; ++j)
        EXPECT_LT(std::abs(DoubleOf<S>(m(i, j)) - split.dense<S>(i, 1, j, 2)), within<S>(1e-12, 1e-4));
    const Matrix<DoubleOf<S>> exact = overlap_in_double<S>(split.product<S>(), a.view(), b.view());
    for (Index i = 0; i < 5; ++i)
      for (Index j = 0; j < 3; ++j) EXPECT_LT(std::abs(exact(i, j) - split.dense<S>(i, 1, j, 2)), 1e-12);
    const std::vector<double> norms = squared_norms<S>(split.product<S>(), a.view());
    ASSERT_EQ(norms.size(), 5u);
    for (Index i = 0; i < 5; ++i)
      EXPECT_NEAR(norms[static_cast<std::size_t>(i)], real_part(split.dense<S>(i, 1, i, 1)), within<S>(1e-12, 1e-4));
    const std::vector<double> pairs = diagonal_overlaps<S>(split.product<S>(), a.view().slice(1, 3), b.view());
    for (Index i = 0; i < 3; ++i)
      EXPECT_NEAR(pairs[static_cast<std::size_t>(i)], real_part(split.dense<S>(i + 1, 1, i, 2)),
                  within<S>(1e-12, 1e-4));
  }
}

TYPED_TEST(Subspace, OverlapsAreTheSameBitsOnEveryRank) {
  using S = TypeParam;
  const Split split(997, 5);
  const Bands<S> a = split.bands<S>(8, 1);
  const Matrix<S> m = overlap<S>(split.product<S>(), a.view(), a.view());
  std::vector<S> of_root(m.data(), m.data() + m.size());
  split.comm.broadcast(std::span<S>(of_root));
  EXPECT_EQ(of_root, std::vector<S>(m.data(), m.data() + m.size()));
}

TYPED_TEST(Subspace, UpperTrianglesAreThoseOfOverlaps) {
  using S = TypeParam;
  const Split split(53, 5);
  const Bands<S> a = split.bands<S>(250, 1);  // more than two blocks of the triangle
  const Matrix<S> whole = overlap<S>(split.product<S>(), a.view(), a.view());
  const Matrix<S> upper = upper_overlap<S>(split.product<S>(), a.view(), a.view());
  for (Index j = 0; j < upper.columns(); ++j)
    for (Index i = 0; i <= j; ++i) EXPECT_NEAR(std::abs(upper(i, j) - whole(i, j)), 0.0, within<S>(1e-12, 1e-4));
  EXPECT_EQ(upper_overlap<S>(split.product<S>(), a.view().slice(0, 0), a.view().slice(0, 0)).size(), 0);
}

TYPED_TEST(Subspace, OverlapOfNoBandsIsEmpty) {
  using S = TypeParam;
  const Split split(11, 0);
  const Bands<S> a = split.bands<S>(2, 1);
  EXPECT_EQ(overlap<S>(split.product<S>(), a.view().slice(0, 0), a.view()).size(), 0);
}

TYPED_TEST(Subspace, RotationsEqualDenseProducts) {
  using S = TypeParam;
  const Split split(53, 17);
  const Bands<S> in = split.bands<S>(5, 1);
  Matrix<S> c(5, 4);
  for (Index i = 0; i < c.size(); ++i)
    if constexpr (ScalarTraits<S>::is_real)
      c.data()[i] = S(random_at({i}));
    else
      c.data()[i] = S(Complex(random_at({i, 0}), random_at({i, 1})));
  for (const bool add : {false, true}) {
    Bands<S> out = split.bands<S>(4, 9);
    rotate<S>({.comm = Comm::self()}, in.view(), c, out.view(), add);
    const ComplexOf<S>* value = coefficients(out.view());
    for (Index b = 0; b < 4; ++b)
      for (Index g = split.mine.begin; g < split.mine.end; ++g) {
        Complex expected = add ? coefficient<S>(g, b, 9, split.zero) : 0.0;
        for (Index i = 0; i < 5; ++i) expected += coefficient<S>(g, i, 1, split.zero) * DoubleOf<S>(c(i, b));
        EXPECT_LT(std::abs(Complex(*value++) - expected), within<S>(1e-13, 1e-5));
      }
  }
}

TYPED_TEST(Subspace, RotationInPlaceIsTheSameRotation) {
  using S = TypeParam;
  for (const Index rows : {Index{0}, Index{1}, rotated_rows, 2 * rotated_rows + 3}) {
    SCOPED_TRACE(std::to_string(rows) + " rows");
    Bands<S> bands(rows, 5), expected(rows, 3);
    for (Index i = 0; i < 5 * rows; ++i) bands.view().data[i] = S(RealOf<S>(random_at({i})));
    Matrix<S> c(5, 3);
    for (Index i = 0; i < c.size(); ++i) c.data()[i] = S(RealOf<S>(random_at({i, 1})));
    rotate<S>({.comm = Comm::self()}, bands.view(), c, expected.view());
    rotate_in_place<S>({.comm = Comm::self()}, bands.view(), c);
    for (Index i = 0; i < 3 * rows; ++i)
      ASSERT_LT(std::abs(bands.view().data[i] - expected.view().data[i]), within<S>(1e-14, 1e-5)) << "element " << i;
  }
}

template <class S>
S random_scalar(Index i, Index j, int seed) {
  if constexpr (ScalarTraits<S>::is_real)
    return S(random_at({seed, i, j, 0}));
  else
    return S(Complex(random_at({seed, i, j, 0}), random_at({seed, i, j, 1})));
}

template <class S>
Matrix<S> multiply(const Matrix<S>& a, bool adjoint, const Matrix<S>& b) {
  Matrix<S> c(adjoint ? a.columns() : a.rows(), b.columns());
  lapack::gemm<S>(adjoint ? 'C' : 'N', 'N', c.rows(), c.columns(), b.rows(), S(1), a.data(), a.rows(), b.data(),
                  b.rows(), S(0), c.data(), c.rows());
  return c;
}

double eigenvalue(Index i) { return -2.0 + 0.75 * static_cast<double>(i) + (i % 3 == 0 ? 0.01 : 0.0); }

/// Q D Q^H with a Householder reflection Q and D = eigenvalue(i) in another order.
template <class S>
Matrix<S> made_to_order(Index n) {
  std::vector<S> v;
  double norm = 0;
  for (Index i = 0; i < n; ++i)
    v.push_back(random_scalar<S>(i, 0, 5)), norm += real_part(conjugate(v.back()) * v.back());
  Matrix<S> q(n, n), d(n, n);
  for (Index i = 0; i < n; ++i) {
    d(i, i) = eigenvalue((7 * i + 3) % n);
    for (Index j = 0; j < n; ++j)
      q(i, j) =
          S(i == j ? 1 : 0) - 2.0 / norm * v[static_cast<std::size_t>(i)] * conjugate(v[static_cast<std::size_t>(j)]);
  }
  return multiply(q, true, multiply(d, false, q));
}

TYPED_TEST(Subspace, LowestEigenpairsOfAKnownMatrix) {
  using S = DoubleOf<TypeParam>;
  for (const Index n : {1, 2, 10, 31})
    for (const Index count : {Index{1}, (n + 1) / 2, n}) {
      const Matrix<S> h = made_to_order<S>(n);
      Matrix<S> work = h, vectors(n, count);
      for (Index j = 0; j < n; ++j)
        for (Index i = j + 1; i < n; ++i) work(i, j) = S(1e6);  // the lower triangle is not used
      std::vector<double> values(static_cast<std::size_t>(count));
      lapack::eigen<S>(n, work.data(), n, count, values.data(), vectors.data(), n);
      const Matrix<S> image = multiply(h, false, vectors);
      for (Index c = 0; c < count; ++c) {
        EXPECT_NEAR(values[static_cast<std::size_t>(c)], eigenvalue(c), 1e-12 * static_cast<double>(n));
        for (Index i = 0; i < n; ++i)
          EXPECT_LT(std::abs(image(i, c) - values[static_cast<std::size_t>(c)] * vectors(i, c)),
                    1e-12 * static_cast<double>(n));
      }
    }
}

TYPED_TEST(Subspace, AMatrixWithNaNIsNamed) {
  using S = DoubleOf<TypeParam>;
  for (const double wrong : {std::nan(""), HUGE_VAL}) {
    Matrix<S> h = made_to_order<S>(9), vectors(9, 9);
    h(2, 5) = wrong;
    std::vector<double> values(9);
    try {
      lapack::eigen<S>(9, h.data(), 9, 9, values.data(), vectors.data(), 9);
      FAIL();
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("is not finite (NaN or infinite), in column 5 of 9"), std::string::npos)
          << error.what();
    }
  }
}

/// The ways to solve a subspace problem in this build.
std::vector<SubspaceSolver> subspace_solvers() {
  if (!has_scalapack()) return {SubspaceSolver::one_rank};
  return {SubspaceSolver::one_rank, SubspaceSolver::distributed};
}

template <class S>
void expect_generalised_solution(Index n, Index count, SubspaceSolver solver) {
  const Comm world = Comm::world();
  // H = A^H M A and s = A^H A have the eigenvalues of M.
  using D = DoubleOf<S>;
  Matrix<D> a(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      a(i, j) = 0.3 * std::sqrt(13.0 / static_cast<double>(n)) * random_scalar<D>(i, j, 1) + D(i == j ? 2 : 0);
  const Matrix<S> h = converted<S>(multiply(a, true, multiply(made_to_order<D>(n), false, a)));
  const Matrix<S> s = converted<S>(multiply(a, true, a));
  const SubspaceSolution<S> solution = solve_subspace<S>(world, h, s, count, solver);
  ASSERT_TRUE(solution.definite);
  ASSERT_EQ(solution.vectors.rows(), n);
  ASSERT_EQ(solution.vectors.columns(), count);
  const Matrix<S> hc = multiply(h, false, solution.vectors), sc = multiply(s, false, solution.vectors);
  const Matrix<S> norms = multiply(solution.vectors, true, sc);
  for (Index c = 0; c < count; ++c) {
    const double value = solution.values[static_cast<std::size_t>(c)];
    EXPECT_NEAR(value, eigenvalue(c), within<S>(1e-11, 1e-5));
    for (Index i = 0; i < n; ++i) EXPECT_LT(std::abs(D(hc(i, c)) - value * D(sc(i, c))), within<S>(1e-10, 1e-4));
    for (Index i = 0; i < count; ++i) EXPECT_LT(std::abs(norms(i, c) - S(i == c ? 1 : 0)), within<S>(1e-12, 1e-5));
  }
  std::vector<S> of_root(solution.vectors.data(), solution.vectors.data() + solution.vectors.size());
  world.broadcast(std::span<S>(of_root));
  EXPECT_EQ(of_root, std::vector<S>(solution.vectors.data(), solution.vectors.data() + solution.vectors.size()));
}

TYPED_TEST(Subspace, SolvesAGeneralisedProblemAlikeOnAllRanks) {
  for (const SubspaceSolver solver : subspace_solvers()) expect_generalised_solution<TypeParam>(13, 6, solver);
}

/// Columns in the span of others change nothing: the eigenvalues are those without them, their coefficients are 0.
TYPED_TEST(Subspace, LeavesOutDependentColumns) {
  using S = TypeParam;
  using D = DoubleOf<S>;
  constexpr Index n = 13, dependent = 4, count = 5;
  // Functions B = [1, C]: the last columns are combinations of all others.
  Matrix<D> b(n, n + dependent);
  for (Index j = 0; j < n + dependent; ++j)
    for (Index i = 0; i < n; ++i) b(i, j) = j < n ? D(i == j ? 1 : 0) : random_scalar<D>(i, j, 7);
  const Matrix<S> h = converted<S>(multiply(b, true, multiply(made_to_order<D>(n), false, b)));
  const Matrix<S> s = converted<S>(multiply(b, true, b));
  for (const SubspaceSolver solver : subspace_solvers()) {
    const auto solve = [&](Index most_left_out) {
      return solve_subspace<S>(Comm::world(), h, s, count, solver, {within<S>(1e-10, 1e-4), most_left_out});
    };
    EXPECT_FALSE(solve(dependent - 1).definite);
    const SubspaceSolution<S> solution = solve(dependent);
    ASSERT_TRUE(solution.definite);
    const Matrix<S> norms = multiply(solution.vectors, true, multiply(s, false, solution.vectors));
    Index left_out = 0;
    for (Index i = 0; i < n + dependent; ++i) {
      double row = 0;
      for (Index c = 0; c < count; ++c) row += std::abs(solution.vectors(i, c));
      if (row == 0) ++left_out;
    }
    EXPECT_EQ(left_out, dependent);
    for (Index c = 0; c < count; ++c) {
      EXPECT_NEAR(solution.values[static_cast<std::size_t>(c)], eigenvalue(c), within<S>(1e-10, 1e-4));
      for (Index i = 0; i < count; ++i) EXPECT_LT(std::abs(norms(i, c) - S(i == c ? 1 : 0)), within<S>(1e-10, 1e-4));
    }
  }
  // Bands among the first `count` that depend on each other are not replaced.
  Matrix<S> equal = s;
  for (Index i = 0; i < n + dependent; ++i) equal(i, 1) = equal(i, 0);
  for (Index i = 0; i < n + dependent; ++i) equal(1, i) = equal(0, i);
  EXPECT_FALSE(solve_subspace<S>(Comm::world(), h, equal, count, SubspaceSolver::one_rank, {1e-4, n}).definite);
}

/// Several blocks on each rank, the last one not full. In single precision the eigenvalues of a matrix of this size are
/// not accurate enough to compare.
TEST(SubspaceSize, ALargerProblemIsSolvedOnAllRanks) {
  if (!has_scalapack()) GTEST_SKIP() << "this build has no ScaLAPACK";
  expect_generalised_solution<double>(205, 100, SubspaceSolver::distributed);
  expect_generalised_solution<Complex>(205, 100, SubspaceSolver::distributed);
}

TEST(SubspaceSize, DistributesLargeProblemsOnly) {
  EXPECT_FALSE(is_distributed_by_size(100000, 2));
  EXPECT_FALSE(is_distributed_by_size(50, 64));
  EXPECT_EQ(is_distributed_by_size(100000, 64), has_scalapack());
}

TYPED_TEST(Subspace, ReportsAnIndefiniteOverlap) {
  using S = TypeParam;
  using Real = RealOf<S>;
  Matrix<S> h = converted<S>(made_to_order<DoubleOf<S>>(4)), s(4, 4);
  for (Index i = 0; i < 4; ++i) s(i, i) = S(Real(i == 2 ? -1e-9 : 1));
  for (const SubspaceSolver solver : subspace_solvers()) {
    for (Index i = 0; i < 4; ++i)
      for (Index j = 0; j < 4; ++j) s(i, j) = S(Real(i == j ? (i == 2 ? -1e-9 : 1) : 0));
    const auto definite = [&] { return solve_subspace<S>(Comm::world(), h, s, 2, solver).definite; };
    EXPECT_FALSE(definite());
    s(2, 2) = S(Real(1e-9));  // small, but exact
    EXPECT_TRUE(definite());
    s(2, 2) = S(1);
    s(0, 2) = s(2, 0) = S(Real(1 - 2e-6));  // in single precision this might be rounding
    EXPECT_EQ(definite(), !is_single<S>);
  }
}

}  // namespace
}  // namespace wavegrid::test_subspace
