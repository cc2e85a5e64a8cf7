#include <wavegrid/linalg/distributed_eigen.hpp>
#include <wavegrid/linalg/lapack.hpp>
#include <wavegrid/linalg/subspace.hpp>

namespace wavegrid {

namespace {

/// Sizes and ranks from which ScaLAPACK is used instead of LAPACK on one rank. On two ranks it is half as fast for 600
/// to 2000 rows, because it computes all eigenpairs where LAPACK computes a third (decision 0007); on eight ranks it is
/// predicted to be faster, not measured.
constexpr Index min_distributed_rows = 1000;
constexpr int min_distributed_ranks = 8;

/// The matrix itself, or a copy in double precision.
template <class S>
decltype(auto) in_double(const Matrix<S>& m) {
  if constexpr (is_single<S>)
    return converted<DoubleOf<S>>(m);
  else
    return (m);
}

/// The upper triangle once more in the lower one, which Cholesky factorisations leave alone.
template <class D>
void keep_in_lower(Matrix<D>& s) {
  for (Index j = 0; j < s.columns(); ++j)
    for (Index i = 0; i < j; ++i) s(j, i) = conjugate(s(i, j));
}

/// The Cholesky factor in the upper triangle of `s`; false where a column depends on earlier ones.
template <class D>
bool factor(Matrix<D>& s, const std::vector<double>& norms, double least) {
  if (!lapack::cholesky<D>(s.rows(), s.data(), s.rows())) return false;
  for (Index i = 0; i < s.rows(); ++i)
    if (std::norm(s(i, i)) < least * norms[static_cast<std::size_t>(i)]) return false;
  return true;
}

/// Columns that do not depend on each other, the first ones of the matrix among them.
struct IndependentColumns {
  std::vector<Index> order;   ///< these columns, then the others
  std::vector<double> scale;  ///< of every column
  Index count = 0;            ///< 0 where the first ones depend on each other
};

/// Chosen by a Cholesky factorisation of the columns at norm 1 with pivots; its factor stays in the upper triangle of
/// `s`, whose lower one holds the matrix. The first `count` columns are scaled to a larger norm, so that their pivots
/// are the larger ones.
template <class D>
IndependentColumns factor_independent(Matrix<D>& s, const std::vector<double>& norms, Index count, double least) {
  constexpr double first_scale = 1024;
  const Index n = s.rows();
  IndependentColumns columns;
  for (Index i = 0; i < n; ++i) {
    const double norm = norms[static_cast<std::size_t>(i)];
    columns.scale.push_back(norm > 0 ? (i < count ? first_scale : 1.0) / std::sqrt(norm) : 0.0);
  }
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i <= j; ++i)
      s(i, j) = (i == j ? D(norms[static_cast<std::size_t>(i)]) : conjugate(s(j, i))) *
                (columns.scale[static_cast<std::size_t>(i)] * columns.scale[static_cast<std::size_t>(j)]);
  columns.count = lapack::pivoted_cholesky<D>(n, s.data(), n, least, columns.order);
  Index first = 0;
  for (Index i = 0; i < columns.count; ++i)
    if (columns.order[static_cast<std::size_t>(i)] < count && std::norm(s(i, i)) >= least * first_scale * first_scale)
      ++first;
  if (first < count) columns.count = 0;
  return columns;
}

/// The rows and columns of a Hermitian matrix (upper triangle read), in their order and scaled. Upper triangle.
template <class D>
Matrix<D> part_of(const Matrix<D>& h, const IndependentColumns& columns) {
  Matrix<D> part(columns.count, columns.count);
  for (Index j = 0; j < columns.count; ++j)
    for (Index i = 0; i <= j; ++i) {
      const Index a = columns.order[static_cast<std::size_t>(i)], b = columns.order[static_cast<std::size_t>(j)];
      part(i, j) = (a <= b ? h(a, b) : conjugate(h(b, a))) *
                   (columns.scale[static_cast<std::size_t>(a)] * columns.scale[static_cast<std::size_t>(b)]);
    }
  return part;
}

/// The lowest eigenpairs for the factor in the upper left corner of `u`. Vectors (rows of h, count).
template <class D>
Matrix<D> solve_factored(Matrix<D> h, const Matrix<D>& u, std::vector<double>& values) {
  const Index n = h.rows(), count = static_cast<Index>(values.size());
  Matrix<D> vectors(n, count);
  lapack::reduce_to_standard<D>(n, h.data(), n, u.data(), u.rows());
  lapack::eigen<D>(n, h.data(), n, count, values.data(), vectors.data(), n);
  lapack::solve_upper_left<D>(n, count, u.data(), u.rows(), vectors.data(), n);
  return vectors;
}

/// The subspace problem on this rank alone.
template <class D>
SubspaceSolution<D> solve_here(Matrix<D> h, Matrix<D> s, Index count, Dependence dependence) {
  const Index n = h.rows();
  SubspaceSolution<D> solution{true, std::vector<double>(static_cast<std::size_t>(count)), {}};
  std::vector<double> norms;
  for (Index i = 0; i < n; ++i) norms.push_back(real_part(s(i, i)));
  keep_in_lower(s);
  if (factor(s, norms, dependence.least)) {
    solution.vectors = solve_factored(std::move(h), s, solution.values);
    return solution;
  }
  solution.definite = false;
  if (dependence.most_left_out == 0) return solution;
  const IndependentColumns columns = factor_independent(s, norms, count, dependence.least);
  if (columns.count == 0 || n - columns.count > dependence.most_left_out) return solution;
  solution.definite = true;
  Matrix<D> part = part_of(h, columns);
  h = {};
  const Matrix<D> vectors = solve_factored(std::move(part), s, solution.values);
  solution.vectors = Matrix<D>(n, count);
  for (Index c = 0; c < count; ++c)
    for (Index i = 0; i < columns.count; ++i) {
      const Index column = columns.order[static_cast<std::size_t>(i)];
      solution.vectors(column, c) = vectors(i, c) * columns.scale[static_cast<std::size_t>(column)];
    }
  return solution;
}

}  // namespace

bool is_distributed_by_size(Index n, int ranks) {
  return has_scalapack() && ranks >= min_distributed_ranks && n >= min_distributed_rows;
}

template <class S>
SubspaceSolution<S> solve_subspace(const Comm& comm, Matrix<S> h, Matrix<S> s, Index count, SubspaceSolver solver,
                                   Dependence dependence) {
  const Index n = h.rows();
  using D = DoubleOf<S>;
  if (solver == SubspaceSolver::distributed ||
      (solver == SubspaceSolver::by_size && is_distributed_by_size(n, comm.size()))) {
    SubspaceSolution<D> all = solve_distributed<D>(comm, in_double(h), in_double(s), count, dependence.least);
    if (all.definite || dependence.most_left_out == 0)
      return {all.definite, std::move(all.values), converted<S>(std::move(all.vectors))};
  }
  SubspaceSolution<S> solution{true, std::vector<double>(static_cast<std::size_t>(count)), Matrix<S>(n, count)};
  int definite = 1;
  comm.collectively([&] {
    if (comm.rank() != 0) return;
    SubspaceSolution<D> here = solve_here<D>(converted<D>(std::move(h)), converted<D>(std::move(s)), count, dependence);
    definite = here.definite ? 1 : 0;
    if (!definite) return;
    solution.values = std::move(here.values);
    solution.vectors = converted<S>(std::move(here.vectors));
  });
  comm.broadcast(std::span<int>(&definite, 1));
  solution.definite = definite == 1;
  comm.broadcast(std::span<double>(solution.values));
  comm.broadcast(solution.vectors.elements());
  return solution;
}

#define WAVEGRID_INSTANTIATE(S) \
  template SubspaceSolution<S> solve_subspace<S>(const Comm&, Matrix<S>, Matrix<S>, Index, SubspaceSolver, Dependence);
WAVEGRID_FOR_ALL_SCALARS(WAVEGRID_INSTANTIATE)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
