#include <algorithm>
#include <cmath>
#include <string>

#include <wavegrid/base/error.hpp>
#include <wavegrid/eigen/lowest_in_span.hpp>
#include <wavegrid/linalg/lapack.hpp>
#include <wavegrid/linalg/overlap.hpp>
#include <wavegrid/linalg/rotate.hpp>
#include <wavegrid/linalg/subspace.hpp>

namespace wavegrid {

namespace {

/// Columns T with T^H s T = 1, which orthonormalise functions with overlaps s; directions of nearly zero norm are left
/// out. In single precision the threshold is higher, because H in such a direction has an error of 1e-6 divided by its
/// norm; but `wanted` directions are kept if they are linearly independent.
template <class S>
Matrix<S> independent_combinations(const Comm& comm, Matrix<S> s, Index wanted) {
  const Index n = s.rows();
  Matrix<S> vectors(n, n);
  std::vector<double> values(static_cast<std::size_t>(n));
  comm.collectively([&] {
    if (comm.rank() != 0) return;
    using D = DoubleOf<S>;
    Matrix<D> exact = converted<D>(std::move(s)), found(n, n);
    lapack::eigen<D>(n, exact.data(), n, n, values.data(), found.data(), n);
    vectors = converted<S>(std::move(found));
  });
  comm.broadcast(std::span<double>(values));
  comm.broadcast(std::span<S>(vectors.data(), static_cast<std::size_t>(vectors.size())));
  const auto first_above = [&](double share) {
    return std::lower_bound(values.begin(), values.end(), share * values.back()) - values.begin();
  };
  const Index dependent = first_above(1e-7);
  const Index first = is_single<S> ? std::max(dependent, std::min(first_above(1e-4), n - wanted)) : dependent;
  Matrix<S> combinations(n, n - first);
  for (Index j = first; j < n; ++j)
    for (Index i = 0; i < n; ++i)
      combinations(i, j - first) =
          vectors(i, j) / static_cast<RealOf<S>>(std::sqrt(values[static_cast<std::size_t>(j)]));
  return combinations;
}

template <class S>
Matrix<S> multiply(char op, const Matrix<S>& a, const Matrix<S>& b) {
  const Index m = op == 'N' ? a.rows() : a.columns(), k = op == 'N' ? a.columns() : a.rows();
  Matrix<S> c(m, b.columns());
  lapack::gemm<S>(op, 'N', m, b.columns(), k, S(1), a.data(), a.rows(), b.data(), b.rows(), S(0), c.data(), m);
  return c;
}

/// The full Hermitian matrix from its upper triangle.
template <class S>
Matrix<S> hermitian(Matrix<S> m) {
  for (Index j = 0; j < m.columns(); ++j)
    for (Index i = 0; i < j; ++i) m(j, i) = conjugate(m(i, j));
  return m;
}

}  // namespace

template <class S>
EigenState<S> lowest_in_span(BandOperator<S>& h, Bands<S> functions, Index bands) {
  const auto guard = h.time(Phase::linear_algebra);
  Bands<S> h_functions(functions.rows(), functions.count());
  h.apply(functions.view(), h_functions.view());
  Bands<S> s_product(functions.rows(), h.has_overlap() ? functions.count() : 0);
  if (h.has_overlap()) h.apply_overlap(functions.view(), s_product.view());
  const BandView<const S> s_functions = h.has_overlap() ? std::as_const(s_product).view() : functions.view();
  const Matrix<S> basis =
      independent_combinations(h.product().comm, upper_overlap<S>(h.product(), functions.view(), s_functions), bands);
  const Index n = basis.columns();
  if (n < bands)
    throw bad_input(
        "the basis contains only " + std::to_string(n) + " independent initial vectors for " + std::to_string(bands) +
        " bands; lower the number of bands or raise the cutoff (plane waves) or the number of points (mesh)");
  const Matrix<S> projected = multiply(
      'C', basis, multiply('N', hermitian(upper_overlap<S>(h.product(), functions.view(), h_functions.view())), basis));
  Matrix<S> identity(n, n);
  for (Index i = 0; i < n; ++i) identity(i, i) = S(1);
  SubspaceSolution<S> solution = solve_subspace<S>(h.product(), projected, std::move(identity), bands);
  EigenState<S> state(functions.rows(), bands, h.has_overlap());
  state.values = solution.values;
  const Matrix<S> vectors = multiply('N', basis, solution.vectors);
  rotate<S>(h.product(), std::as_const(functions).view(), vectors, state.x.view());
  functions = {};  // free this memory before HX is allocated
  rotate<S>(h.product(), std::as_const(h_functions).view(), vectors, state.hx.view());
  if (h.has_overlap()) rotate<S>(h.product(), std::as_const(s_product).view(), vectors, state.sx.view());
  if constexpr (is_single<S>) rayleigh_ritz(h, state);  // corrects rounding, amplified by directions of small norm
  return state;
}

#define WAVEGRID_INSTANTIATE(S) template EigenState<S> lowest_in_span<S>(BandOperator<S>&, Bands<S>, Index);
WAVEGRID_FOR_ALL_SCALARS(WAVEGRID_INSTANTIATE)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
