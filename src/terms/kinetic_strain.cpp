#include "terms/kinetic_strain.hpp"

#include <complex>
#include <vector>

#include "terms/symmetric_sums.hpp"

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

#define WAVEGRID_INSTANTIATE(S) \
  template Mat3 kinetic_strain<S>(const InnerProduct&, const PlaneWaves&, BandView<const S>, std::span<const double>);
WAVEGRID_INSTANTIATE(double)
WAVEGRID_INSTANTIATE(std::complex<double>)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
