// Exact exchange of the bands of one k-point and spin, compressed to as many functions as there are bands.
//
//   V_x = W M^-1 W^H,  W = V_x psi,  M = <psi|W>
//
// This is V_x itself on the span of the bands psi, and applied like projectors: L. Lin, J. Chem. Theory Comput. 12,
// 2242 (2016), 10.1021/acs.jctc.6b00092. With M = Q m Q^H it is sum_i sign(m_i) |xi_i><xi_i|, xi_i = W q_i / sqrt
// |m_i|.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <wavegrid/linalg/lapack.hpp>
#include <wavegrid/linalg/overlap.hpp>
#include <wavegrid/linalg/rotate.hpp>

namespace wavegrid {

/// Members are collective over the ranks of the inner product unless they say "local".
template <class S>
class CompressedExchange {
 public:
  /// `signs`: of the functions.
  CompressedExchange(Bands<S> functions, std::vector<double> signs)
      : functions_(std::move(functions)), signs_(std::move(signs)) {}

  /// `w`: V_x psi. In double precision.
  [[nodiscard]] static CompressedExchange compress(const InnerProduct& product, BandView<const S> psi,
                                                   BandView<const S> w) {
    constexpr double least = 1e-14;  // of the largest one: smaller ones are rounding
    const Index n = psi.count;
    Matrix<S> m = overlap<S>(product, psi, w), vectors(n, n);
    make_hermitian(m);
    std::vector<double> values(static_cast<std::size_t>(n)), signs;
    if (n > 0) lapack::eigen<S>(n, m.data(), n, n, values.data(), vectors.data(), n);
    double largest = 0;
    for (const double value : values) largest = std::max(largest, std::abs(value));
    Matrix<S> combinations(n, n);
    for (Index i = 0; i < n; ++i) {
      const double value = values[static_cast<std::size_t>(i)];
      if (!(std::abs(value) > least * largest)) continue;
      for (Index j = 0; j < n; ++j)
        combinations(j, static_cast<Index>(signs.size())) = vectors(j, i) * S(1 / std::sqrt(std::abs(value)));
      signs.push_back(value < 0 ? -1.0 : 1.0);
    }
    const auto kept = static_cast<Index>(signs.size());
    Matrix<S> used(n, kept);
    std::copy_n(combinations.data(), n * kept, used.data());
    Bands<S> functions(w.rows, kept);
    rotate<S>(product, w, used, functions.view());
    return {std::move(functions), std::move(signs)};
  }

  /// out += V_x psi.
  void add(const InnerProduct& product, BandView<const S> psi, BandView<S> out) const {
    Matrix<S> c = overlap<S>(product, functions_.view(), psi);
    for (Index b = 0; b < psi.count; ++b)
      for (Index i = 0; i < c.rows(); ++i) c(i, b) *= static_cast<RealOf<S>>(signs_[static_cast<std::size_t>(i)]);
    rotate<S>(product, functions_.view(), c, out, true);
  }
  /// <psi|V_x|psi> of each band, Ha; the same on all ranks.
  [[nodiscard]] std::vector<double> expectations(const InnerProduct& product, BandView<const S> psi) const {
    const Matrix<S> c = overlap<S>(product, functions_.view(), psi);
    std::vector<double> sums(static_cast<std::size_t>(psi.count));
    for (Index b = 0; b < psi.count; ++b)
      for (Index i = 0; i < c.rows(); ++i)
        sums[static_cast<std::size_t>(b)] += signs_[static_cast<std::size_t>(i)] * std::norm(c(i, b));
    return sums;
  }
  /// Bytes for `bands` bands. Pure.
  [[nodiscard]] static double bytes(Index rows, Index bands) { return Bands<S>::bytes(rows, bands); }

 private:
  static void make_hermitian(Matrix<S>& m) {
    for (Index j = 0; j < m.columns(); ++j)
      for (Index i = 0; i <= j; ++i) {
        S other = m(j, i);
        if constexpr (!ScalarTraits<S>::is_real) other = std::conj(other);
        m(i, j) = S(RealOf<S>(0.5)) * (m(i, j) + other);
      }
  }

  Bands<S> functions_;
  std::vector<double> signs_;
};

}  // namespace wavegrid
