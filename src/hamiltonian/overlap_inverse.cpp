#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <wavegrid/hamiltonian/overlap_inverse.hpp>
#include <wavegrid/linalg/lapack.hpp>

namespace wavegrid {

namespace {

template <class S>
Matrix<S> times(const Matrix<S>& a, char op_b, const Matrix<S>& b) {
  const Index n = a.rows();
  Matrix<S> c(n, n);
  lapack::gemm<S>('N', op_b, n, n, n, S(1), a.data(), n, b.data(), n, S(0), c.data(), n);
  return c;
}

template <class S>
Matrix<S> unit_matrix(Index n) {
  Matrix<S> unit(n, n);
  for (Index i = 0; i < n; ++i) unit(i, i) = S(1);
  return unit;
}

/// f(a) of a Hermitian matrix, by its eigenvalues.
template <class S, class Function>
Matrix<S> function_of(Matrix<S> a, const Function& f) {
  const Index n = a.rows();
  std::vector<double> values(static_cast<std::size_t>(n));
  Matrix<S> vectors(n, n);
  lapack::eigen<S>(n, a.data(), n, n, values.data(), vectors.data(), n);
  Matrix<S> scaled = vectors;
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < n; ++i) scaled(i, j) *= f(values[static_cast<std::size_t>(j)]);
  return times(scaled, 'C', vectors);
}

/// P^+ P.
template <class S>
Matrix<DoubleOf<S>> products(const InnerProduct& product, Projectors<S>& projectors, Index rows) {
  constexpr Index block = 64;
  const Index n = projectors.num_projectors();
  Matrix<DoubleOf<S>> all(n, n);
  for (Index first = 0; first < n; first += block) {
    const Index count = std::min(block, n - first);
    Matrix<S> chosen(n, count);
    for (Index j = 0; j < count; ++j) chosen(first + j, j) = S(1);
    Bands<S> p(rows, count);
    std::fill_n(p.view().data, rows * count, S(0));
    projectors.add(product, chosen, p.view());
    const Matrix<S> part = projectors.overlaps(product, std::as_const(p).view());
    std::copy_n(part.data(), n * count, &all(0, first));
  }
  return all;
}

}  // namespace

template <class S>
Matrix<S> overlap_inverse(const InnerProduct& product, Projectors<S>& projectors, const Couplings& couplings,
                          Index rows) {
  using Double = DoubleOf<S>;  // of small matrices
  const Index n = projectors.num_projectors();
  Matrix<Double> q = unit_matrix<Double>(n);
  couplings.multiply(projections_in(q));
  const Matrix<Double> w =
      function_of(products(product, projectors, rows), [](double b) { return std::sqrt(std::max(0.0, b)); });
  const Matrix<Double> qw = times(q, 'N', w);
  Matrix<Double> inside = times(w, 'N', qw);
  for (Index i = 0; i < n; ++i) inside(i, i) += Double(1);
  const Matrix<Double> inverse = function_of(std::move(inside), [](double s) { return 1 / s; });
  const Matrix<Double> change = times(times(qw, 'N', inverse), 'C', qw);
  Matrix<S> m(n, n);
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < n; ++i) m(i, j) = static_cast<S>(q(i, j) - change(i, j));
  return m;
}

#define WAVEGRID_INSTANTIATE(S) \
  template Matrix<S> overlap_inverse<S>(const InnerProduct&, Projectors<S>&, const Couplings&, Index rows);
WAVEGRID_FOR_ALL_SCALARS(WAVEGRID_INSTANTIATE)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
