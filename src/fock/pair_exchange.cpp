#include <algorithm>
#include <cmath>

#include <wavegrid/fock/pair_exchange.hpp>

namespace wavegrid {

namespace {

double sign_of(double value) { return value < 0 ? -1.0 : 1.0; }

}  // namespace

template <class S>
ExchangeSources<S>::ExchangeSources(const S* values, std::span<const double> o, Index points) : points_(points) {
  const auto at = [&](std::size_t m) { return values + static_cast<Index>(m) * points; };
  for (std::size_t m = 0; m < o.size(); ++m) {
    const double scale = std::sqrt(std::abs(o[m]));
    const bool both = ScalarTraits<S>::is_real && m + 1 < o.size() && sign_of(o[m]) == sign_of(o[m + 1]);
    append(at(m), scale, both ? at(m + 1) : nullptr, both ? std::sqrt(std::abs(o[m + 1])) : 0, sign_of(o[m]));
    if (both) ++m;
  }
}

template <class S>
void ExchangeSources<S>::append(const S* a, double scale_a, const S* b, double scale_b, double sign) {
  signs_.push_back(sign);
  const std::size_t first = values_.size();
  values_.resize(first + static_cast<std::size_t>(points_));
  for (Index i = 0; i < points_; ++i) {
    Complex value = scale_a * a[i];
    if (b != nullptr) value += Complex(0, 1) * (scale_b * b[i]);
    values_[first + static_cast<std::size_t>(i)] = value;
  }
}

template <class S>
void add_pair_exchange(const BoxFft& fft, const double* kernel, const ExchangeSources<S>& sources,
                       const ExchangeTargets<S>& targets, int threads) {
  using Complex = std::complex<double>;
  const Index points = fft.points();
#pragma omp parallel num_threads(threads)
  {
    BoxFft::Workspace work = fft.workspace();
    AlignedVector<Complex> pair(static_cast<std::size_t>(points));
    AlignedVector<double> spectrum(targets.spectrum != nullptr ? static_cast<std::size_t>(points) : 0);
    std::fill(spectrum.begin(), spectrum.end(), 0.0);
#pragma omp for schedule(static)
    for (Index n = 0; n < targets.count; ++n) {
      const S* const u = targets.values + n * points;
      S* const w = targets.w + n * points;
      for (Index m = 0; m < sources.count(); ++m) {
        const Complex* const source = sources.values(m);
        Complex* const p = pair.data();
        if constexpr (ScalarTraits<S>::is_real)
          for (Index i = 0; i < points; ++i) p[i] = u[i] * source[i];
        else
          for (Index i = 0; i < points; ++i) p[i] = std::conj(source[i]) * u[i];
        fft.forward(p, work);
        if (!spectrum.empty()) {
          const double factor = sources.sign(m) * targets.occupations[n];
          for (Index i = 0; i < points; ++i) spectrum[static_cast<std::size_t>(i)] += factor * std::norm(p[i]);
        }
        for (Index i = 0; i < points; ++i) p[i] *= kernel[i];
        fft.backward(p, work);
        const double sign = sources.sign(m);
        if constexpr (ScalarTraits<S>::is_real)
          for (Index i = 0; i < points; ++i)
            w[i] -= sign * (source[i].real() * p[i].real() + source[i].imag() * p[i].imag());
        else
          for (Index i = 0; i < points; ++i) w[i] -= sign * (source[i] * p[i]);
      }
    }
#pragma omp critical
    for (std::size_t i = 0; i < spectrum.size(); ++i) targets.spectrum[i] += spectrum[i];
  }
}

#define WAVEGRID_INSTANTIATE(S)                                                               \
  template class ExchangeSources<S>;                                                          \
  template void add_pair_exchange<S>(const BoxFft&, const double*, const ExchangeSources<S>&, \
                                     const ExchangeTargets<S>&, int);
WAVEGRID_INSTANTIATE(double)
WAVEGRID_INSTANTIATE(std::complex<double>)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
