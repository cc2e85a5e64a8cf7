#include <wavegrid/base/random.hpp>
#include <wavegrid/wavefunctions/random_waves.hpp>

namespace wavegrid {

template <class S>
void fill_random(const PlaneWaves& waves, Index first_key, BandView<S> all, int components) {
  const BandView<S> bands = all.split(components);
  for (Index b = 0; b < bands.count; ++b) {
    const Index key = first_key + b / components, parts = 2 * (b % components);
    ComplexOf<S>* c = coefficients(bands) + b * waves.size();
    for (Index i = 0; i < waves.size(); ++i) {
      const Int3& g = waves.g()[static_cast<std::size_t>(i)];
      const double t = waves.kinetic()[static_cast<std::size_t>(i)];
      const bool real = ScalarTraits<S>::is_real && i == waves.zero();
      const double re = random_at({key, g[0], g[1], g[2], parts});
      const double im = real ? 0.0 : random_at({key, g[0], g[1], g[2], parts + 1});
      c[i] = ComplexOf<S>(std::complex<double>(re, im) / (0.1 + t * t));
    }
  }
}

template <class S>
void flatten_random(const PlaneWaves& waves, BandView<S> bands) {
  for (Index b = 0; b < bands.count; ++b)
    for (Index i = 0; i < waves.size(); ++i) {
      const double t = waves.kinetic()[static_cast<std::size_t>(i)];
      coefficients(bands)[b * waves.size() + i] *= static_cast<RealOf<S>>(0.1 + t * t);
    }
}

#define WAVEGRID_INSTANTIATE(S)                                             \
  template void fill_random<S>(const PlaneWaves&, Index, BandView<S>, int); \
  template void flatten_random<S>(const PlaneWaves&, BandView<S>);
WAVEGRID_FOR_ALL_SCALARS(WAVEGRID_INSTANTIATE)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
