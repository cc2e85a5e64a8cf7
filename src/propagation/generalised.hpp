// Hermitian operators of bands whose inner product is that of an overlap S: S^-1 H, and norms.
#pragma once

#include <algorithm>
#include <complex>
#include <utility>
#include <vector>

#include <wavegrid/eigen/band_operator.hpp>
#include <wavegrid/linalg/overlap.hpp>

namespace wavegrid {

/// x = S^-1 x; `scratch`, of the same shape, is used where the operator has an overlap. Collective over its ranks.
inline void divide_by_overlap(BandOperator<std::complex<double>>& op, BandView<std::complex<double>> x,
                              BandView<std::complex<double>> scratch) {
  if (!op.has_overlap()) return;
  std::copy_n(x.data, x.rows * x.count, scratch.data);
  op.solve_overlap(scratch, x);
}

/// image = S^-1 H x; `scratch` as above. Collective over the ranks of the operator.
inline void apply_generalised(BandOperator<std::complex<double>>& op, BandView<const std::complex<double>> x,
                              BandView<std::complex<double>> image, BandView<std::complex<double>> scratch) {
  op.apply(x, image);
  divide_by_overlap(op, image, scratch);
}

/// S x, or x itself, in bands that it holds.
class OverlapProduct {
 public:
  /// Collective over the ranks of the operator, which sees x as long as this object lives.
  OverlapProduct(BandOperator<std::complex<double>>& op, BandView<const std::complex<double>> x) : view_(x) {
    if (!op.has_overlap()) return;
    product_ = Bands<std::complex<double>>(x.rows, x.count);
    op.apply_overlap(x, product_.view());
    view_ = std::as_const(product_).view();
  }
  OverlapProduct(const OverlapProduct&) = delete;
  OverlapProduct& operator=(const OverlapProduct&) = delete;

  [[nodiscard]] BandView<const std::complex<double>> view() const { return view_; }

 private:
  Bands<std::complex<double>> product_;
  BandView<const std::complex<double>> view_;
};

}  // namespace wavegrid
