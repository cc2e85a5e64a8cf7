#include <algorithm>
#include <cmath>
#include <utility>

#include <wavegrid/linalg/overlap.hpp>
#include <wavegrid/propagation/generalised.hpp>
#include <wavegrid/propagation/kick.hpp>

namespace wavegrid {

using Complex = std::complex<double>;

void kick_bands(BandOperator<Complex>& op, std::span<const double> potential, BandView<Complex> psi) {
  constexpr double rounding = 1e-17;  // of a normalised band
  constexpr int most_terms = 200;
  const Index size = psi.rows * psi.count;
  Bands<Complex> term(psi.rows, psi.count), product(psi.rows, psi.count);
  Bands<Complex> scratch(op.has_overlap() ? psi.rows : 0, psi.count);
  std::copy_n(psi.data, size, term.view().data);
  for (int n = 1; n <= most_terms; ++n) {
    std::fill_n(product.view().data, size, Complex(0));
    op.apply_change(potential, std::as_const(term).view(), product.view());
    divide_by_overlap(op, product.view(), scratch.view());
    const Complex factor(0, 1.0 / n);
    for (Index i = 0; i < size; ++i) psi.data[i] += term.view().data[i] = factor * product.view().data[i];
    const std::vector<double> squares =
        diagonal_overlaps<Complex>(op.product(), std::as_const(term).view(), std::as_const(term).view());
    if (std::sqrt(*std::ranges::max_element(squares)) < rounding) return;
  }
}

void add_product(BandOperator<Complex>& op, std::span<const double> function, BandView<Complex> psi) {
  const Index size = psi.rows * psi.count;
  Bands<Complex> product(psi.rows, psi.count);
  std::fill_n(product.view().data, size, Complex(0));
  op.apply_change(function, psi, product.view());
  for (Index i = 0; i < size; ++i) psi.data[i] += product.view().data[i];
}

}  // namespace wavegrid
