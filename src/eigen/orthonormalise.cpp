#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

#include <wavegrid/base/error.hpp>
#include <wavegrid/eigen/orthonormalise.hpp>
#include <wavegrid/linalg/lapack.hpp>
#include <wavegrid/linalg/overlap.hpp>
#include <wavegrid/linalg/rotate.hpp>

namespace wavegrid {

namespace {

template <class S>
constexpr double least_norm2 =
    is_single<S> ? 1e-6 : 1e-8;  ///< smallest fraction of a band's squared norm orthogonal to earlier bands
template <class S>
constexpr double orthonormal_tolerance = is_single<S> ? 1e-5 : 1e-10;

template <class D>
double deviation_from_unity(const Matrix<D>& s) {
  double worst = 0;
  for (Index j = 0; j < s.columns(); ++j)
    for (Index i = 0; i < s.rows(); ++i) worst = std::max(worst, std::abs(s(i, j) - D(i == j ? 1 : 0)));
  return worst;
}

/// Columns that are linearly independent of earlier ones: a row-wise Cholesky factorisation that skips dependent
/// columns.
template <class D>
std::vector<Index> independent_columns(Matrix<D> s, double least) {
  const Index n = s.rows();
  std::vector<Index> kept;
  for (Index j = 0; j < n; ++j) {
    const double norm = real_part(s(j, j));
    double rest = norm;
    // s(i, j) becomes the factor's element for kept i
    for (const Index i : kept) {
      D element = s(i, j);
      for (const Index l : kept) {
        if (l == i) break;
        element -= conjugate(s(l, i)) * s(l, j);
      }
      s(i, j) = element / s(i, i);
      rest -= std::norm(s(i, j));
    }
    if (!(rest > least * norm) || !(norm > 0)) continue;
    s(j, j) = D(std::sqrt(rest));
    kept.push_back(j);
  }
  return kept;
}

/// The Cholesky factor U of some columns; returns whether every pivot is large enough.
template <class D>
bool factor(const Matrix<D>& s, const std::vector<Index>& columns, double least, Matrix<D>& u) {
  const auto m = static_cast<Index>(columns.size());
  u = Matrix<D>(m, m);
  for (Index j = 0; j < m; ++j)
    for (Index i = 0; i <= j; ++i)
      u(i, j) = s(columns[static_cast<std::size_t>(i)], columns[static_cast<std::size_t>(j)]);
  if (m > 0 && !lapack::cholesky<D>(m, u.data(), m)) return false;
  for (Index i = 0; i < m; ++i) {
    const Index column = columns[static_cast<std::size_t>(i)];
    if (!(std::norm(u(i, i)) > least * real_part(s(column, column)))) return false;
  }
  return true;
}

/// Combinations (n, number of independent bands) that orthonormalise bands with overlaps s.
template <class D>
Matrix<D> orthonormal_combinations(const Matrix<D>& s, double least) {
  const Index n = s.rows();
  std::vector<Index> columns(static_cast<std::size_t>(n));
  std::iota(columns.begin(), columns.end(), Index{0});
  Matrix<D> u;
  if (!factor(s, columns, least, u)) {
    // Chosen with twice the bound, so that rounding in the factorisation cannot invalidate the choice.
    columns = independent_columns(s, 2 * least);
    if (!factor(s, columns, least, u)) throw internal_error("independent bands have no Cholesky factor");
  }
  const auto m = static_cast<Index>(columns.size());
  Matrix<D> inverse(m, m), combinations(n, m);
  for (Index i = 0; i < m; ++i) inverse(i, i) = D(1);
  if (m > 0) lapack::solve_upper_left<D>(m, m, u.data(), m, inverse.data(), m);
  for (Index j = 0; j < m; ++j)
    for (Index i = 0; i <= j; ++i) combinations(columns[static_cast<std::size_t>(i)], j) = inverse(i, j);
  return combinations;
}

/// The same, computed on rank 0 and broadcast: all ranks have the same bits.
template <class S>
Matrix<S> agreed_combinations(const Comm& comm, const Matrix<DoubleOf<S>>& s) {
  Matrix<S> combinations;
  Index kept = 0;
  comm.collectively([&] {
    if (comm.rank() != 0) return;
    combinations = converted<S>(orthonormal_combinations(s, least_norm2<S>));
    kept = combinations.columns();
  });
  comm.broadcast(std::span<Index>(&kept, 1));
  if (comm.rank() != 0) combinations = Matrix<S>(s.rows(), kept);
  comm.broadcast(std::span<S>(combinations.data(), static_cast<std::size_t>(combinations.size())));
  return combinations;
}

template <class S>
Bands<S> first_bands(Bands<S>&& bands, Index count) {
  if (count == bands.count()) return std::move(bands);
  Bands<S> part(bands.rows(), count);
  std::copy_n(bands.view().data, bands.rows() * count, part.view().data);
  return part;
}

}  // namespace

template <class S>
Index orthonormalise(const InnerProduct& product, const HsView<S>& bands) {
  constexpr int passes = 2;
  Index count = bands.count();
  for (int pass = 0; pass < passes && count > 0; ++pass) {
    const HsView<S> left = bands.slice(0, count);
    const Matrix<DoubleOf<S>> s = overlap_in_double<S>(product, left.x, left.sx);
    if (deviation_from_unity(s) < orthonormal_tolerance<S>) break;
    const Matrix<S> combinations = agreed_combinations<S>(product.comm, s);
    left.for_arrays([&](BandView<S> array) {
      if (array.count > 0) rotate_in_place<S>(product, array, combinations);
    });
    count = combinations.columns();
  }
  return count;
}

template <class S>
Index orthonormalise(const InnerProduct& product, BandView<S> bands) {
  return orthonormalise<S>(product, HsView<S>{bands, {}, bands});
}

template <class S>
Index orthonormalise(BandOperator<S>& op, BandView<S> bands) {
  if (!op.has_overlap()) return orthonormalise<S>(op.product(), bands);
  Bands<S> sx(bands.rows, bands.count);
  op.apply_overlap(bands, sx.view());
  return orthonormalise<S>(op.product(), HsView<S>{bands, {}, sx.view(), true});
}

template <class S>
Bands<S> orthonormal_part(const InnerProduct& product, Bands<S> bands) {
  return first_bands(std::move(bands), orthonormalise<S>(product, bands.view()));
}

template <class S>
Bands<S> orthonormal_part(BandOperator<S>& op, Bands<S> bands) {
  return first_bands(std::move(bands), orthonormalise<S>(op, bands.view()));
}

#define WAVEGRID_INSTANTIATE(S)                                            \
  template Index orthonormalise<S>(const InnerProduct&, BandView<S>);      \
  template Bands<S> orthonormal_part<S>(const InnerProduct&, Bands<S>);    \
  template Index orthonormalise<S>(const InnerProduct&, const HsView<S>&); \
  template Index orthonormalise<S>(BandOperator<S>&, BandView<S>);         \
  template Bands<S> orthonormal_part<S>(BandOperator<S>&, Bands<S>);
WAVEGRID_FOR_ALL_SCALARS(WAVEGRID_INSTANTIATE)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
