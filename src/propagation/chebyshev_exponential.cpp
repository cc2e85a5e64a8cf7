#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include <wavegrid/propagation/chebyshev_exponential.hpp>
#include <wavegrid/propagation/generalised.hpp>

namespace wavegrid {

using Complex = std::complex<double>;

ChebyshevExponential::ChebyshevExponential(const SpectrumBounds& spectrum, double time, double error)
    : centre_(0.5 * (spectrum.highest + spectrum.lowest)), radius_(0.5 * (spectrum.highest - spectrum.lowest)) {
  const double x = std::abs(time) * radius_;
  std::vector<double> bessel;
  // Beyond n = x they decrease faster than any power; 1e-18 ends the sum that bounds the rest.
  for (int n = 0; n <= x || std::abs(bessel.back()) > 1e-18; ++n) bessel.push_back(std::cyl_bessel_j(n, x));
  double rest = 0;
  while (bessel.size() > 2 && rest + 2 * std::abs(bessel.back()) < error) {
    rest += 2 * std::abs(bessel.back());
    bessel.pop_back();
  }
  const Complex turn(0, time < 0 ? 1 : -1), phase = std::polar(1.0, -time * centre_);
  Complex power = 1;
  for (std::size_t n = 0; n < bessel.size(); ++n, power *= turn)
    weights_.push_back((n == 0 ? 1.0 : 2.0) * bessel[n] * power * phase);
}

void ChebyshevExponential::apply(BandOperator<Complex>& op, BandView<Complex> psi) const {
  const BandView<Complex> blocks[1] = {psi};
  op.map_bands(blocks, [this](BandOperator<Complex>& share, std::span<const BandView<Complex>> bands) {
    for (Index first = 0; first < bands[0].count; first += most_bands)
      apply_to_block(share, bands[0].slice(first, std::min(most_bands, bands[0].count - first)));
  });
}

void ChebyshevExponential::apply_to_block(BandOperator<Complex>& op, BandView<Complex> psi) const {
  const Index size = psi.rows * psi.count;
  Bands<Complex> before(psi.rows, psi.count), now(psi.rows, psi.count), image(psi.rows, psi.count);
  std::copy_n(psi.data, size, before.view().data);
  Bands<Complex> product(op.has_overlap() ? psi.rows : 0, psi.count);
  apply_generalised(op, std::as_const(before).view(), image.view(), product.view());
  {
    const Complex *const t0 = before.view().data, *const h = image.view().data;
    Complex* const t1 = now.view().data;
    for (Index i = 0; i < size; ++i) {
      t1[i] = (h[i] - centre_ * t0[i]) / radius_;
      psi.data[i] = weights_[0] * t0[i] + weights_[1] * t1[i];
    }
  }
  for (std::size_t n = 2; n < weights_.size(); ++n) {
    apply_generalised(op, std::as_const(now).view(), image.view(), product.view());
    const Complex *const h = image.view().data, *const t1 = now.view().data, weight = weights_[n];
    Complex* const t2 = before.view().data;
    const double factor = 2 / radius_;
    for (Index i = 0; i < size; ++i) {
      t2[i] = factor * (h[i] - centre_ * t1[i]) - t2[i];
      psi.data[i] += weight * t2[i];
    }
    std::swap(before, now);
  }
}

}  // namespace wavegrid
