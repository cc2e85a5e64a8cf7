// Operators for tests of the eigensolvers: a dense matrix, with or without an overlap matrix, and finite differences.
#pragma once

#include <algorithm>
#include <complex>
#include <vector>

#include <wavegrid/base/random.hpp>
#include <wavegrid/eigen/band_operator.hpp>
#include <wavegrid/layout/block_layout.hpp>
#include <wavegrid/linalg/lapack.hpp>

namespace wavegrid {

/// Rows of vectors of `n` numbers in blocks over the ranks of the world, the last rank empty where there is more than
/// one.
[[nodiscard]] inline Range block_of_rows(Index n) {
  const Comm comm = Comm::world();
  const int filled = std::max(comm.size() - 1, 1);
  return comm.rank() < filled ? BlockLayout(n, filled).range(comm.rank()) : Range{n, n};
}

/// Random numbers by element, complex where S is.
template <class S>
[[nodiscard]] S random_element(Index i, Index j, int seed) {
  using Real = RealOf<S>;
  if constexpr (ScalarTraits<S>::is_real)
    return Real(random_at({seed, i, j, 0}));
  else
    return {Real(random_at({seed, i, j, 0})), Real(random_at({seed, i, j, 1}))};
}

/// Bands gathered from all ranks: (n, bands) on every rank. Collective.
template <class S>
[[nodiscard]] Matrix<S> gathered(Index n, Range mine, BandView<const S> x) {
  Matrix<S> whole(n, x.count);
  for (Index b = 0; b < x.count; ++b) std::copy_n(x.band(b), x.rows, &whole(0, b) + mine.begin);
  Comm::world().sum(std::span<S>(whole.data(), static_cast<std::size_t>(whole.size())));
  return whole;
}

/// out = m x for a replicated matrix. Collective.
template <class S>
void multiply(const Matrix<S>& m, Range mine, BandView<const S> x, BandView<S> out) {
  const Index n = m.rows();
  const Matrix<S> whole = gathered<S>(n, mine, x);
  lapack::gemm<S>('N', 'N', x.rows, x.count, n, S(1), m.data() + mine.begin, n, whole.data(), n, S(0), out.data,
                  std::max<Index>(out.rows, 1));
}

/// H x = e S x with replicated matrices; vectors are distributed.
template <class S>
class DenseOperator : public BandOperator<S> {
 public:
  /// `s` empty: the unit matrix. `weight` of the inner product: the matrices stay those of H and S themselves.
  /// `inverse`: the preconditioner of residuals; empty: the inverse of H's diagonal above its lowest element.
  DenseOperator(Matrix<S> h, Matrix<S> s = {}, double weight = 1, Matrix<S> inverse = {}, double energy_unit = 1)
      : BandOperator<S>({.comm = Comm::world(), .weight = weight}, block_of_rows(h.rows()).size(), nullptr,
                        energy_unit),
        mine_(block_of_rows(h.rows())),
        h_(std::move(h)),
        s_(std::move(s)),
        inverse_(std::move(inverse)) {}

  void apply(BandView<const S> x, BandView<S> hx) override {
    applications_ += x.count;
    multiply(h_, x, hx);
  }
  [[nodiscard]] bool has_overlap() const override { return s_.size() > 0; }
  void apply_overlap(BandView<const S> x, BandView<S> sx) override { multiply(s_, x, sx); }
  [[nodiscard]] std::vector<double> preconditioner_energies(BandView<const S> x) override {
    return std::vector<double>(static_cast<std::size_t>(x.count), 0.0);
  }
  void precondition(std::span<const double>, BandView<S> r) override {
    if (inverse_.size() > 0) return precondition_by_inverse(r);
    const double lowest = real_part(h_(0, 0));
    for (Index b = 0; b < r.count; ++b)
      for (Index i = 0; i < r.rows; ++i)
        r.band(b)[i] /= static_cast<RealOf<S>>(std::abs(real_part(h_(mine_.begin + i, mine_.begin + i)) - lowest) +
                                               this->energy_unit());
  }
  void fill_random(Index first_key, BandView<S> x, RandomSpectrum) override {
    for (Index b = 0; b < x.count; ++b)
      for (Index i = 0; i < x.rows; ++i) x.band(b)[i] = random_element<S>(first_key + b, mine_.begin + i, 11);
  }

  [[nodiscard]] Index applications() const { return applications_; }

  /// The lowest eigenvalues by LAPACK.
  [[nodiscard]] std::vector<double> lowest(Index count) const {
    using D = DoubleOf<S>;
    const Index n = h_.rows();
    Matrix<D> h = converted<D>(h_), s = converted<D>(s_), vectors(n, count);
    std::vector<double> values(static_cast<std::size_t>(count));
    if (s.size() > 0) {
      (void)lapack::cholesky<D>(n, s.data(), n);
      lapack::reduce_to_standard<D>(n, h.data(), n, s.data(), n);
    }
    lapack::eigen<D>(n, h.data(), n, count, values.data(), vectors.data(), n);
    return values;
  }

 private:
  void multiply(const Matrix<S>& m, BandView<const S> x, BandView<S> out) const {
    wavegrid::multiply<S>(m, mine_, x, out);
  }
  void precondition_by_inverse(BandView<S> r) const {
    Bands<S> result(r.rows, r.count);
    multiply(inverse_, r, result.view());
    std::copy_n(result.view().data, r.rows * r.count, r.data);
  }

  Range mine_;
  Matrix<S> h_, s_, inverse_;
  Index applications_ = 0;
};

/// A Hermitian matrix with the rising diagonal 0.1 i and small random off-diagonal elements.
template <class S>
[[nodiscard]] Matrix<S> rising_matrix(Index n) {
  Matrix<S> h(n, n);
  for (Index j = 0; j < n; ++j) {
    h(j, j) = S(RealOf<S>(0.1 * static_cast<double>(j) + 0.02 * random_at({j})));
    for (Index i = 0; i < j; ++i) {
      h(i, j) = RealOf<S>(0.02) * random_element<S>(i, j, 3);
      h(j, i) = conjugate(h(i, j));
    }
  }
  return h;
}

/// A positive definite matrix near the unit matrix.
template <class S>
[[nodiscard]] Matrix<S> overlap_matrix(Index n) {
  Matrix<S> s(n, n);
  for (Index j = 0; j < n; ++j) {
    s(j, j) = S(RealOf<S>(1.0 + 0.3 * random_at({j, 7})));
    for (Index i = 0; i < j; ++i) {
      s(i, j) = RealOf<S>(0.5 / static_cast<double>(n)) * random_element<S>(i, j, 4);
      s(j, i) = conjugate(s(i, j));
    }
  }
  return s;
}

/// The inverse of a symmetric matrix, of which only the upper triangle is used.
[[nodiscard]] inline Matrix<double> inverted(Matrix<double> m) {
  const Index n = m.rows();
  std::vector<double> values(static_cast<std::size_t>(n));
  Matrix<double> vectors(n, n), scaled(n, n), inverse(n, n);
  lapack::eigen<double>(n, m.data(), n, n, values.data(), vectors.data(), n);
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < n; ++i) scaled(i, j) = vectors(i, j) / values[static_cast<std::size_t>(j)];
  lapack::gemm<double>('N', 'C', n, n, n, 1.0, scaled.data(), n, vectors.data(), n, 0.0, inverse.data(), n);
  return inverse;
}

/// -1/2 d^2/dx^2 + x^2/2 between walls at -length/2 and length/2, by second differences; the rows are the points, with
/// the spacing as the weight of the inner product.
template <class S>
[[nodiscard]] DenseOperator<S> oscillator(Index points, double length) {
  const double h = length / static_cast<double>(points + 1);
  Matrix<S> m(points, points);
  for (Index i = 0; i < points; ++i) {
    const double x = h * static_cast<double>(i + 1) - 0.5 * length;
    m(i, i) = S(RealOf<S>(1.0 / (h * h) + 0.5 * x * x));
    if (i > 0) m(i, i - 1) = m(i - 1, i) = S(RealOf<S>(-0.5 / (h * h)));
  }
  // Preconditioned by (-1/2 d^2/dx^2 + 1)^-1.
  Matrix<double> t(points, points);
  for (Index i = 0; i < points; ++i) {
    t(i, i) = 1.0 / (h * h) + 1.0;
    if (i > 0) t(i - 1, i) = -0.5 / (h * h);
  }
  const Matrix<double> inverse = inverted(std::move(t));
  Matrix<S> k(points, points);
  for (Index i = 0; i < k.size(); ++i) k.data()[i] = S(static_cast<RealOf<S>>(inverse.data()[i]));
  return {std::move(m), {}, h, std::move(k)};
}

}  // namespace wavegrid
