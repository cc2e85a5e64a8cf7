#include <algorithm>
#include <complex>
#include <utility>
#include <vector>

#include <wavegrid/hamiltonian/kinetic_strain.hpp>
#include <wavegrid/linalg/overlap.hpp>
#include <wavegrid/terms/symmetric_sums.hpp>

namespace wavegrid {

template <class S>
Mat3 kinetic_strain(const InnerProduct& product, const PlaneWaves& waves, BandView<const S> psi,
                    std::span<const double> occupations) {
  const Index n = waves.size();
  std::vector<double> electrons(static_cast<std::size_t>(n));  // in each plane wave
  for (Index b = 0; b < psi.count; ++b) {
    const ComplexOf<S>* const c = coefficients(psi) + b * n;
    const double f = occupations[static_cast<std::size_t>(b)];
#pragma omp parallel for schedule(static)
    for (Index g = 0; g < n; ++g) electrons[static_cast<std::size_t>(g)] += f * std::norm(c[g]);
  }
  double sums[6];  // G = 0, which has another weight at Gamma, contributes nothing
  product.sum(psi.rows, std::span<double>(sums), [&](Range rows, std::span<double> out) {
    std::fill(out.begin(), out.end(), 0.0);
    for (Index g = rows.begin / rows_per_wave<S>; g < rows.end / rows_per_wave<S>; ++g)
      add_to_symmetric(out, -product.weight * electrons[static_cast<std::size_t>(g)], waves.k_plus_g(g));
  });
  return symmetric(sums);
}

namespace {

/// slopes = the derivatives of bands along an axis, 1/bohr.
template <class S>
void differentiate(const PlaneWaves& waves, std::size_t axis, BandView<const S> psi, BandView<S> slopes) {
  const Index n = waves.size();
  for (Index b = 0; b < psi.count; ++b)
    for (Index g = 0; g < n; ++g)
      coefficients(slopes)[b * n + g] =
          ComplexOf<S>(0, static_cast<RealOf<S>>(waves.k_plus_g(g)[axis])) * coefficients(psi)[b * n + g];
}

}  // namespace

template <class S>
Mat3 tau_strain(const InnerProduct& product, BandFft<RealOf<S>>& fft, std::span<const RealOf<S>> v_tau,
                BandView<const S> psi, std::span<const double> occupations) {
  constexpr Index block = 16;  // bands whose gradients are held at the same time
  Mat3 strain{};
  for (Index first = 0; first < psi.count; first += block) {
    const BandView<const S> bands = psi.slice(first, std::min(block, psi.count - first));
    std::vector<Bands<S>> slopes(3, Bands<S>(bands.rows, bands.count));
    for (std::size_t axis = 0; axis < 3; ++axis) differentiate<S>(fft.rows(), axis, bands, slopes[axis].view());
    Bands<S> times(bands.rows, bands.count);
    for (std::size_t b = 0; b < 3; ++b) {
      fft.apply_local(coefficients(slopes[b].view()), v_tau.data(), coefficients(times.view()), bands.count);
      for (std::size_t a = 0; a < 3; ++a) {
        const std::vector<double> products =
            diagonal_overlaps<S>(product, std::as_const(slopes[a]).view(), std::as_const(times).view());
        for (std::size_t i = 0; i < products.size(); ++i)
          strain[a][b] -= occupations[static_cast<std::size_t>(first) + i] * products[i];
      }
    }
  }
  return strain;
}

#define WAVEGRID_INSTANTIATE(S)                                                                                        \
  template Mat3 kinetic_strain<S>(const InnerProduct&, const PlaneWaves&, BandView<const S>, std::span<const double>); \
  template Mat3 tau_strain<S>(const InnerProduct&, BandFft<RealOf<S>>&, std::span<const RealOf<S>>, BandView<const S>, \
                              std::span<const double>);
WAVEGRID_INSTANTIATE(double)
WAVEGRID_INSTANTIATE(std::complex<double>)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
