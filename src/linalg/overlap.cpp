#include <algorithm>
#include <span>

#include <wavegrid/linalg/band_products.hpp>
#include <wavegrid/linalg/lapack.hpp>
#include <wavegrid/linalg/overlap.hpp>

namespace wavegrid {

namespace {

/// Columns at a time of an upper triangle: few wide blocks compute much below the diagonal, many narrow ones are slow.
constexpr Index triangle_block = 112;
/// Rows that are converted to double precision at a time: they stay in cache.
constexpr Index converted_rows = 512;

/// The part of Re <a|b> of a range of rows, for single bands.
template <class S>
double local_dot(const InnerProduct& product, const S* a, const S* b, Range rows) {
  // The real part of conj(a) b is the product of two vectors of numbers.
  constexpr Index parts = ScalarTraits<S>::is_real ? 1 : 2;
  const auto* const x = reinterpret_cast<const RealOf<S>*>(a);
  const auto* const y = reinterpret_cast<const RealOf<S>*>(b);
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (Index i = parts * rows.begin; i < parts * rows.end; ++i) sum += static_cast<double>(x[i]) * y[i];
  sum *= product.weight;
  if (rows.contains(product.single_row))
    sum -= (product.weight - 1) * real_part(conjugate(a[product.single_row]) * b[product.single_row]);
  return sum;
}

/// Corrects the single row, which was counted `weight` times.
template <class S, class Sum>
void correct_single_row(const InnerProduct& product, BandView<const S> a, BandView<const S> b, Sum* result) {
  const auto excess = static_cast<RealOf<Sum>>(product.weight - 1);
  for (Index j = 0; j < b.count; ++j)
    for (Index i = 0; i < a.count; ++i)
      result[i + j * a.count] -=
          excess * conjugate(Sum(a.band(i)[product.single_row])) * Sum(b.band(j)[product.single_row]);
}

}  // namespace

template <class S>
Matrix<S> overlap(const InnerProduct& product, BandView<const S> a, BandView<const S> b) {
  Matrix<S> result(a.count, b.count);
  const auto factor = static_cast<RealOf<S>>(product.weight);
  const Index ld = std::max<Index>(a.rows, 1);
  product.sum(a.rows, result.elements(), [&](Range rows, std::span<S> sum) {
    inner_products<S>(a.count, b.count, rows.size(), factor, a.data + rows.begin, ld, b.data + rows.begin, ld,
                      sum.data(), std::max<Index>(a.count, 1));
    if (rows.contains(product.single_row)) correct_single_row(product, a, b, sum.data());
  });
  return result;
}

template <class S>
Matrix<S> upper_overlap(const InnerProduct& product, BandView<const S> a, BandView<const S> b) {
  const Index n = a.count, ld = std::max<Index>(a.rows, 1);
  Matrix<S> result(n, n);
  const auto factor = static_cast<RealOf<S>>(product.weight);
  product.sum(a.rows, result.elements(), [&](Range rows, std::span<S> sum) {
    std::fill(sum.begin(), sum.end(), S(0));
    for (Index first = 0; first < n; first += triangle_block) {
      const Index end = std::min(first + triangle_block, n);
      inner_products<S>(end, end - first, rows.size(), factor, a.data + rows.begin, ld, b.band(first) + rows.begin, ld,
                        sum.data() + first * n, n, first == 0 ? Triangle::upper : Triangle::both);
    }
    if (rows.contains(product.single_row)) correct_single_row(product, a, b, sum.data());
  });
  return result;
}

template <class S>
Matrix<DoubleOf<S>> overlap_in_double(const InnerProduct& product, BandView<const S> a, BandView<const S> b) {
  using D = DoubleOf<S>;
  if constexpr (std::is_same_v<S, D>) {
    return overlap<S>(product, a, b);
  } else {
    Matrix<D> result(a.count, b.count);
    const D factor = product.weight;
    const auto some_rows = [](BandView<const S> bands, Range rows, AlignedVector<D>& part) {
      for (Index i = 0; i < bands.count; ++i)
        std::copy_n(bands.band(i) + rows.begin, rows.size(), part.data() + i * rows.size());
    };
    const auto most = static_cast<std::size_t>(std::min(converted_rows, a.rows));
    AlignedVector<D> a_rows(most * static_cast<std::size_t>(a.count)), b_rows(most * static_cast<std::size_t>(b.count));
    product.sum(a.rows, result.elements(), [&](Range block, std::span<D> sum) {
      std::fill(sum.begin(), sum.end(), D(0));
      for (Index first = block.begin; first < block.end; first += converted_rows) {
        const Range rows{first, std::min(first + converted_rows, block.end)};
        some_rows(a, rows, a_rows);
        some_rows(b, rows, b_rows);
        lapack::gemm<D>('C', 'N', a.count, b.count, rows.size(), factor, a_rows.data(), rows.size(), b_rows.data(),
                        rows.size(), D(1), sum.data(), std::max<Index>(a.count, 1));
      }
      if (block.contains(product.single_row)) correct_single_row(product, a, b, sum.data());
    });
    return result;
  }
}

template <class S>
std::vector<DoubleOf<S>> pair_overlaps(const InnerProduct& product, BandView<const S> a, BandView<const S> b) {
  using D = DoubleOf<S>;
  if constexpr (ScalarTraits<S>::is_real) {
    return diagonal_overlaps<S>(product, a, b);
  } else {
    std::vector<D> result(static_cast<std::size_t>(a.count));
    product.sum(a.rows, std::span<D>(result), [&](Range rows, std::span<D> sum) {
      for (Index i = 0; i < a.count; ++i) {
        const auto term = [&](Index row) { return D(std::conj(a.band(i)[row]) * b.band(i)[row]); };
        D dot = 0;
        for (Index row = rows.begin; row < rows.end; ++row) dot += term(row);
        dot *= product.weight;
        if (rows.contains(product.single_row)) dot -= (product.weight - 1) * term(product.single_row);
        sum[static_cast<std::size_t>(i)] = dot;
      }
    });
    return result;
  }
}

template <class S>
std::vector<double> diagonal_overlaps(const InnerProduct& product, BandView<const S> a, BandView<const S> b) {
  std::vector<double> result(static_cast<std::size_t>(a.count));
  product.sum(a.rows, std::span<double>(result), [&](Range rows, std::span<double> sum) {
#pragma omp parallel for schedule(static)
    for (Index i = 0; i < a.count; ++i)
      sum[static_cast<std::size_t>(i)] = local_dot(product, a.band(i), b.band(i), rows);
  });
  return result;
}

template <class S>
std::vector<double> squared_norms(const InnerProduct& product, BandView<const S> a) {
  return diagonal_overlaps(product, a, a);
}

#define WAVEGRID_INSTANTIATE(S)                                                                                  \
  template Matrix<S> overlap<S>(const InnerProduct&, BandView<const S>, BandView<const S>);                      \
  template Matrix<S> upper_overlap<S>(const InnerProduct&, BandView<const S>, BandView<const S>);                \
  template Matrix<DoubleOf<S>> overlap_in_double<S>(const InnerProduct&, BandView<const S>, BandView<const S>);  \
  template std::vector<DoubleOf<S>> pair_overlaps<S>(const InnerProduct&, BandView<const S>, BandView<const S>); \
  template std::vector<double> squared_norms<S>(const InnerProduct&, BandView<const S>);                         \
  template std::vector<double> diagonal_overlaps<S>(const InnerProduct&, BandView<const S>, BandView<const S>);
WAVEGRID_FOR_ALL_SCALARS(WAVEGRID_INSTANTIATE)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
