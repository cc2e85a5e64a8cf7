// Eigenpairs of operators that are functions: against LAPACK, with rows on any number of ranks, some of them empty.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <string>
#include <vector>

#include <wavegrid/base/error.hpp>
#include <wavegrid/eigen/lowest_eigenpairs.hpp>
#include <wavegrid/linalg/overlap.hpp>
#include <wavegrid/mesh/halo.hpp>

#include "dense_operator.hpp"

namespace wavegrid::test_lowest_eigenpairs {
namespace {

/// The problem of a dense matrix as a program would state it.
template <class S>
EigenProblem<S> problem_of(const Matrix<S>& h, const Matrix<S>& s = {}) {
  const Range mine = block_of_rows(h.rows());
  EigenProblem<S> problem{.comm = Comm::world(), .rows = mine.size()};
  problem.apply = [&h, mine](BandView<const S> x, BandView<S> y) { multiply<S>(h, mine, x, y); };
  if (s.size() > 0) problem.overlap = [&s, mine](BandView<const S> x, BandView<S> y) { multiply<S>(s, mine, x, y); };
  return problem;
}

template <class S>
std::vector<double> diagonal_of(const Matrix<S>& h) {
  const Range mine = block_of_rows(h.rows());
  std::vector<double> diagonal;
  for (Index i = mine.begin; i < mine.end; ++i) diagonal.push_back(real_part(h(i, i)));
  return diagonal;
}

/// Values against LAPACK, residuals H x - e S x, and <x|S|x> = 1.
template <class S>
void expect_pairs(const Eigenpairs<S>& found, const Matrix<S>& h, const Matrix<S>& s, Index count, double weight = 1) {
  DenseOperator<S> op(h, s, weight);
  const std::vector<double> exact = op.lowest(count);
  EXPECT_TRUE(found.converged);
  ASSERT_EQ(found.values.size(), static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < exact.size(); ++i) EXPECT_NEAR(found.values[i], exact[i], found.error + 1e-11);
  HsBands<S> all(op.rows(), count, s.size() > 0);
  std::copy_n(found.vectors.view().data, op.rows() * count, all.x.view().data);
  apply_h_and_s<S>(op, all.view());
  const Matrix<S> norms = overlap<S>(op.product(), all.x.view(), std::as_const(all).view().sx);
  for (Index i = 0; i < count; ++i)
    for (Index j = 0; j < count; ++j) EXPECT_LT(std::abs(norms(i, j) - S(i == j ? 1 : 0)), 1e-10);
  residuals<S>(std::as_const(all).view(), found.values.data(), all.hx.view());
  for (const double square : squared_norms<S>(op.product(), std::as_const(all.hx).view())) EXPECT_LT(square, 1e-8);
}

template <class S>
class LowestEigenpairs : public testing::Test {};
using Scalars = testing::Types<double, std::complex<double>>;
TYPED_TEST_SUITE(LowestEigenpairs, Scalars);

TYPED_TEST(LowestEigenpairs, NeedNoPreconditioner) {
  using S = TypeParam;
  const Matrix<S> large = rising_matrix<S>(97), h = rising_matrix<S>(61), s = overlap_matrix<S>(61);
  expect_pairs<S>(lowest_eigenpairs<S>(problem_of<S>(large), 7), large, {}, 7);
  expect_pairs<S>(lowest_eigenpairs<S>(problem_of<S>(h, s), 7), h, s, 7);
}

TYPED_TEST(LowestEigenpairs, UseADiagonalOrAPreconditioner) {
  using S = TypeParam;
  const Matrix<S> h = rising_matrix<S>(97);
  const std::vector<double> diagonal = diagonal_of(h);
  EigenProblem<S> problem = problem_of<S>(h);
  problem.diagonal = diagonal;
  for (const Eigensolver solver : {Eigensolver::lobpcg, Eigensolver::davidson, Eigensolver::rmm_diis})
    expect_pairs<S>(lowest_eigenpairs<S>(problem, 5, {.solver = solver}), h, {}, 5);
  problem.diagonal = {};
  const Index unpreconditioned = lowest_eigenpairs<S>(problem, 5, {.solver = Eigensolver::lobpcg}).applications;
  problem.precondition = [&](BandView<const S> x, BandView<S> y) {
    for (Index b = 0; b < x.count; ++b)
      for (Index i = 0; i < x.rows; ++i) y.band(b)[i] = x.band(b)[i] / (diagonal[static_cast<std::size_t>(i)] + 0.1);
  };
  const Eigenpairs<S> found = lowest_eigenpairs<S>(problem, 5);
  expect_pairs<S>(found, h, {}, 5);
  EXPECT_LT(found.applications, unpreconditioned);
}

TYPED_TEST(LowestEigenpairs, OfSmallSpacesAreDiagonalisedWhole) {
  using S = TypeParam;
  for (const Index n : {1, 2, 7, 23}) {
    const Matrix<S> h = rising_matrix<S>(n), s = overlap_matrix<S>(n);
    for (const Index count : {Index{0}, Index{1}, n}) {
      const Eigenpairs<S> found = lowest_eigenpairs<S>(problem_of<S>(h, s), count);
      expect_pairs<S>(found, h, s, count);
      EXPECT_LE(found.applications, n);
    }
  }
}

TYPED_TEST(LowestEigenpairs, BeginWithGivenVectors) {
  using S = TypeParam;
  const Matrix<S> h = rising_matrix<S>(97);
  const EigenProblem<S> problem = problem_of<S>(h);
  const Eigenpairs<S> first = lowest_eigenpairs<S>(problem, 6);
  const Eigenpairs<S> again = lowest_eigenpairs<S>(problem, 6, {}, first.vectors.view());
  expect_pairs<S>(again, h, {}, 6);
  EXPECT_LT(again.applications, first.applications);
  // Vectors that depend on each other are replaced.
  Bands<S> same(problem.rows, 3);
  for (Index b = 0; b < 3; ++b) std::copy_n(first.vectors.view().band(0), problem.rows, same.view().band(b));
  expect_pairs<S>(lowest_eigenpairs<S>(problem, 6, {}, std::as_const(same).view()), h, {}, 6);
}

TYPED_TEST(LowestEigenpairs, HaveTheWeightOfTheInnerProduct) {
  using S = TypeParam;
  const Matrix<S> h = rising_matrix<S>(61);
  EigenProblem<S> problem = problem_of<S>(h);
  problem.weight = 0.25;
  expect_pairs<S>(lowest_eigenpairs<S>(problem, 4), h, {}, 4, 0.25);
}

TYPED_TEST(LowestEigenpairs, ReportThatTheyHaveNotConverged) {
  using S = TypeParam;
  const Matrix<S> h = rising_matrix<S>(97);
  const Eigenpairs<S> found = lowest_eigenpairs<S>(problem_of<S>(h), 6, {.max_rounds = 1});
  EXPECT_FALSE(found.converged);
  EXPECT_EQ(found.rounds, 1);
  EXPECT_GT(found.error, 0);
}

TYPED_TEST(LowestEigenpairs, AnErrorOfOneRankIsOneOfAll) {
  using S = TypeParam;
  const Matrix<S> h = rising_matrix<S>(97);
  EigenProblem<S> problem = problem_of<S>(h);
  const auto expect_refused = [&](Index count, const EigenpairsOptions& options, const std::string& part) {
    try {
      (void)lowest_eigenpairs<S>(problem, count, options);
      FAIL() << "accepted; expected: " << part;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  expect_refused(-1, {}, "found -1");
  expect_refused(98, {}, "has 97 rows");
  expect_refused(3, {.tolerance = 0}, "tolerance");
  const bool last = Comm::world().rank() == Comm::world().size() - 1;
  const std::vector<double> wrong(static_cast<std::size_t>(problem.rows + 1));
  if (last) problem.diagonal = wrong;
  expect_refused(3, {}, "diagonal");
  problem = problem_of<S>(h);
  problem.apply = [&](BandView<const S>, BandView<S> y) {
    if (last) throw bad_input("the potential is missing");
    std::fill_n(y.data, y.rows * y.count, S(0));
  };
  expect_refused(3, {}, "the potential is missing");
  problem.apply = {};
  expect_refused(3, {}, "no function `apply`");
  // All ranks get the error of one that throws before an exchange of vectors, others in the middle of that exchange.
  const Comm world = Comm::world();
  const IndexList own{block_of_rows(h.rows())}, ghosts{{0, 1}};
  Halo halo(world, own, ghosts, Transport::pairwise);
  std::vector<S> points(static_cast<std::size_t>(problem.rows + 1));
  int calls = 0;
  problem.apply = [&](BandView<const S> x, BandView<S> y) {
    if (++calls == 3 && last) throw bad_input("the third call has failed");
    halo.fill(points, 1);
    multiply<S>(h, block_of_rows(h.rows()), x, y);
  };
  expect_refused(3, {}, "the third call has failed");
  EXPECT_EQ(calls, 3);
}

TYPED_TEST(LowestEigenpairs, NameTheFunctionThatReturnsNaN) {
  using S = TypeParam;
  for (const Index n : {7, 97}) {
    const Matrix<S> h = rising_matrix<S>(n);
    EigenProblem<S> problem = problem_of<S>(h);
    const auto right = problem.apply;
    const Range mine = block_of_rows(n);
    problem.apply = [&](BandView<const S> x, BandView<S> y) {
      right(x, y);
      if (mine.contains(n - 2) && y.count > 1) y.band(1)[n - 2 - mine.begin] = std::nan("");
    };
    try {
      (void)lowest_eigenpairs<S>(problem, 3);
      FAIL() << "accepted";
    } catch (const Error& error) {
      const std::string part = "`apply` has returned a value that is not finite (NaN or infinite), in row " +
                               std::to_string(n - 2) + " of vector 1 of a block, on rank ";
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace wavegrid::test_lowest_eigenpairs
