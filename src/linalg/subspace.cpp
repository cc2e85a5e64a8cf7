#include "linalg/subspace.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "linalg/lapack.hpp"

namespace wavegrid {

namespace {

template <class S>
std::span<S> elements(Matrix<S>& m) {
  return {m.data(), static_cast<std::size_t>(m.size())};
}

/// Local part of <a|b> for single bands.
template <class S>
double local_dot(const InnerProduct& product, const S* a, const S* b, Index rows) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (Index i = 0; i < rows; ++i) sum += real_part(conjugate(a[i]) * b[i]);
  if constexpr (ScalarTraits<S>::is_real) {
    sum *= 2;
    if (product.zero_row >= 0) sum -= a[product.zero_row] * b[product.zero_row];
  }
  return sum;
}

}  // namespace

template <class S>
Matrix<S> overlap(const InnerProduct& product, BandView<const S> a, BandView<const S> b) {
  Matrix<S> result(a.count, b.count);
  const S factor = ScalarTraits<S>::is_real ? 2 : 1;
  const Index ld = std::max<Index>(a.rows, 1);
  lapack::gemm<S>('C', 'N', a.count, b.count, a.rows, factor, a.data, ld, b.data, ld, S(0), result.data(),
                  std::max<Index>(a.count, 1));
  if constexpr (ScalarTraits<S>::is_real)
    if (product.zero_row >= 0)
      for (Index j = 0; j < b.count; ++j)
        for (Index i = 0; i < a.count; ++i) result(i, j) -= a.band(i)[product.zero_row] * b.band(j)[product.zero_row];
  product.comm.sum(elements(result));
  return result;
}

template <class S>
std::vector<double> diagonal_overlaps(const InnerProduct& product, BandView<const S> a, BandView<const S> b) {
  std::vector<double> result(static_cast<std::size_t>(a.count));
#pragma omp parallel for schedule(static)
  for (Index i = 0; i < a.count; ++i)
    result[static_cast<std::size_t>(i)] = local_dot(product, a.band(i), b.band(i), a.rows);
  product.comm.sum(std::span<double>(result));
  return result;
}

template <class S>
std::vector<double> squared_norms(const InnerProduct& product, BandView<const S> a) {
  return diagonal_overlaps(product, a, a);
}

template <class S>
void rotate(BandView<const S> in, const Matrix<S>& c, BandView<S> out, bool add) {
  const Index ld = std::max<Index>(in.rows, 1);
  lapack::gemm<S>('N', 'N', in.rows, out.count, in.count, S(1), in.data, ld, c.data(), std::max<Index>(c.rows(), 1),
                  add ? S(1) : S(0), out.data, ld);
}

template <class S>
void rotate_in_place(BandView<S> bands, const Matrix<S>& c) {
  AlignedVector<S> part(static_cast<std::size_t>(std::min(rotated_rows, bands.rows) * c.columns()));
  for (Index first = 0; first < bands.rows; first += rotated_rows) {
    const Index rows = std::min(rotated_rows, bands.rows - first);
    lapack::gemm<S>('N', 'N', rows, c.columns(), c.rows(), S(1), bands.data + first, bands.rows, c.data(), c.rows(),
                    S(0), part.data(), rows);
    for (Index b = 0; b < c.columns(); ++b) std::copy_n(part.data() + b * rows, rows, bands.band(b) + first);
  }
}

template <class S>
void normalise(const InnerProduct& product, BandView<S> bands, BandView<S> images) {
  const std::vector<double> norms = squared_norms<S>(product, bands);
#pragma omp parallel for schedule(static)
  for (Index b = 0; b < bands.count; ++b) {
    const double scale = 1.0 / std::sqrt(std::max(norms[static_cast<std::size_t>(b)], 1e-300));
    for (Index i = 0; i < bands.rows; ++i) bands.band(b)[i] *= scale;
    if (images.count > 0)
      for (Index i = 0; i < images.rows; ++i) images.band(b)[i] *= scale;
  }
}

template <class S>
void project_off(const InnerProduct& product, BandView<const S> q, BandView<S> bands) {
  if (q.count == 0) return;
  Matrix<S> c = overlap<S>(product, q, bands);
  for (Index i = 0; i < c.size(); ++i) c.data()[i] = -c.data()[i];
  rotate<S>(q, c, bands, true);
}

template <class S>
SubspaceSolution<S> solve_subspace(const Comm& comm, Matrix<S> h, Matrix<S> s, Index count) {
  const Index n = h.rows();
  SubspaceSolution<S> solution{true, std::vector<double>(static_cast<std::size_t>(count)), Matrix<S>(n, count)};
  int definite = 1;
  comm.together([&] {
    if (comm.rank() != 0) return;
    definite = lapack::cholesky<S>(n, s.data(), n) ? 1 : 0;
    if (!definite) return;
    lapack::reduce_to_standard<S>(n, h.data(), n, s.data(), n);
    lapack::eigen<S>(n, h.data(), n, count, solution.values.data(), solution.vectors.data(), n);
    lapack::solve_upper_left<S>(n, count, s.data(), n, solution.vectors.data(), n);
  });
  comm.broadcast(std::span<int>(&definite, 1));
  solution.definite = definite == 1;
  comm.broadcast(std::span<double>(solution.values));
  comm.broadcast(elements(solution.vectors));
  return solution;
}

#define WAVEGRID_INSTANTIATE(S)                                                                                 \
  template Matrix<S> overlap<S>(const InnerProduct&, BandView<const S>, BandView<const S>);                     \
  template std::vector<double> squared_norms<S>(const InnerProduct&, BandView<const S>);                        \
  template std::vector<double> diagonal_overlaps<S>(const InnerProduct&, BandView<const S>, BandView<const S>); \
  template void rotate<S>(BandView<const S>, const Matrix<S>&, BandView<S>, bool);                              \
  template void rotate_in_place<S>(BandView<S>, const Matrix<S>&);                                              \
  template void normalise<S>(const InnerProduct&, BandView<S>, BandView<S>);                                    \
  template void project_off<S>(const InnerProduct&, BandView<const S>, BandView<S>);                            \
  template SubspaceSolution<S> solve_subspace<S>(const Comm&, Matrix<S>, Matrix<S>, Index);
WAVEGRID_INSTANTIATE(double)
WAVEGRID_INSTANTIATE(std::complex<double>)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
