#include "terms/kinetic.hpp"

namespace wavegrid {

template <class S>
std::vector<double> kinetic_energies(const InnerProduct& product, const PlaneWaves& waves, BandView<const S> psi) {
  std::vector<double> energy(static_cast<std::size_t>(psi.count));
  const Index n = waves.size();
  // G = 0, the only one with another weight at Gamma, has no kinetic energy.
  product.sum(psi.rows, std::span<double>(energy), [&](Range rows, std::span<double> energies) {
    const Range mine{rows.begin / rows_per_wave<S>, rows.end / rows_per_wave<S>};
#pragma omp parallel for schedule(static)
    for (Index b = 0; b < psi.count; ++b) {
      const ComplexOf<S>* const c = coefficients(psi) + b * n;
      double sum = 0;
      for (Index g = mine.begin; g < mine.end; ++g)
        sum += waves.kinetic()[static_cast<std::size_t>(g)] * std::norm(std::complex<double>(c[g]));
      energies[static_cast<std::size_t>(b)] = product.weight * sum;
    }
  });
  return energy;
}

template <class S>
void precondition_by_kinetic_energy(const PlaneWaves& waves, std::span<const double> kinetic, BandView<S> bands) {
  const Index n = waves.size();
#pragma omp parallel for schedule(static)
  for (Index b = 0; b < bands.count; ++b) {
    ComplexOf<S>* const c = coefficients(bands) + b * n;
    const double inverse = 1.0 / (1.5 * kinetic[static_cast<std::size_t>(b)]);
    for (Index g = 0; g < n; ++g) {
      const double t = waves.kinetic()[static_cast<std::size_t>(g)] * inverse;
      const double top = 27.0 + t * (18.0 + t * (12.0 + t * 8.0));
      c[g] *= static_cast<RealOf<S>>(top / (top + 16.0 * t * t * t * t) * 2.0 * inverse);
    }
  }
}

#define WAVEGRID_INSTANTIATE(S)                                                                                \
  template std::vector<double> kinetic_energies<S>(const InnerProduct&, const PlaneWaves&, BandView<const S>); \
  template void precondition_by_kinetic_energy<S>(const PlaneWaves&, std::span<const double>, BandView<S>);
WAVEGRID_FOR_ALL_SCALARS(WAVEGRID_INSTANTIATE)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
