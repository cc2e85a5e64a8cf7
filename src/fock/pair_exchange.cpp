#include <algorithm>
#include <cmath>

#include <wavegrid/fock/pair_exchange.hpp>

namespace wavegrid {

namespace {

double sign_of(double value) { return value < 0 ? -1.0 : 1.0; }

template <class Real>
const Real* numbers(const std::complex<Real>* values) {
  return reinterpret_cast<const Real*>(values);
}

// In real numbers, which compilers turn into vector instructions.

/// p = u source, of two real bands as one complex number.
template <class Real>
void multiply(const std::complex<Real>* source, const Real* u, Index count, std::complex<Real>* p) {
  const Real* const s = numbers(source);
  auto* const out = reinterpret_cast<Real*>(p);
#pragma omp simd
  for (Index i = 0; i < count; ++i) {
    out[2 * i] = u[i] * s[2 * i];
    out[2 * i + 1] = u[i] * s[2 * i + 1];
  }
}
/// p = conj(source) u.
template <class Real>
void multiply(const std::complex<Real>* source, const std::complex<Real>* u, Index count, std::complex<Real>* p) {
  const Real *const s = numbers(source), *const v = numbers(u);
  auto* const out = reinterpret_cast<Real*>(p);
#pragma omp simd
  for (Index i = 0; i < count; ++i) {
    const Real re = s[2 * i] * v[2 * i] + s[2 * i + 1] * v[2 * i + 1];
    const Real im = s[2 * i] * v[2 * i + 1] - s[2 * i + 1] * v[2 * i];
    out[2 * i] = re;
    out[2 * i + 1] = im;
  }
}
/// p += conj(source) u.
template <class Real>
void add_product(const std::complex<Real>* source, const std::complex<Real>* u, Index count, std::complex<Real>* p) {
  const Real *const s = numbers(source), *const v = numbers(u);
  auto* const out = reinterpret_cast<Real*>(p);
#pragma omp simd
  for (Index i = 0; i < count; ++i) {
    out[2 * i] += s[2 * i] * v[2 * i] + s[2 * i + 1] * v[2 * i + 1];
    out[2 * i + 1] += s[2 * i] * v[2 * i + 1] - s[2 * i + 1] * v[2 * i];
  }
}
/// w -= sign (source . p), of two real bands.
template <class Real>
void subtract_product(Real sign, const std::complex<Real>* source, const std::complex<Real>* p, Index count, Real* w) {
  const Real *const s = numbers(source), *const v = numbers(p);
#pragma omp simd
  for (Index i = 0; i < count; ++i) w[i] -= sign * (s[2 * i] * v[2 * i] + s[2 * i + 1] * v[2 * i + 1]);
}
/// w -= sign source p.
template <class Real>
void subtract_product(Real sign, const std::complex<Real>* source, const std::complex<Real>* p, Index count,
                      std::complex<Real>* w) {
  const Real *const s = numbers(source), *const v = numbers(p);
  auto* const out = reinterpret_cast<Real*>(w);
#pragma omp simd
  for (Index i = 0; i < count; ++i) {
    out[2 * i] -= sign * (s[2 * i] * v[2 * i] - s[2 * i + 1] * v[2 * i + 1]);
    out[2 * i + 1] -= sign * (s[2 * i] * v[2 * i + 1] + s[2 * i + 1] * v[2 * i]);
  }
}

/// One target band in the precision of T, that of the transforms: itself where this is its own precision.
template <class T>
class TargetBand {
 public:
  using Double = DoubleOf<T>;

  explicit TargetBand(Index points) : u_(size(points)), w_(size(points)) {}

  void begin(const Double* u) {
    if constexpr (is_single<T>) {
      for (std::size_t i = 0; i < u_.size(); ++i) u_[i] = static_cast<T>(u[i]);
      std::fill(w_.begin(), w_.end(), T(0));
    }
  }
  void end(Double* w) const {
    if constexpr (is_single<T>)
      for (std::size_t i = 0; i < w_.size(); ++i) w[i] += static_cast<Double>(w_[i]);
  }
  [[nodiscard]] const T* u(const Double* own) const {
    if constexpr (is_single<T>)
      return u_.data();
    else
      return own;
  }
  [[nodiscard]] T* w(Double* own) {
    if constexpr (is_single<T>)
      return w_.data();
    else
      return own;
  }

 private:
  static std::size_t size(Index points) { return is_single<T> ? static_cast<std::size_t>(points) : 0; }

  AlignedVector<T> u_, w_;
};

}  // namespace

template <class S>
ExchangeSources<S>::ExchangeSources(const DoubleOf<S>* values, std::span<const double> o, Index points)
    : points_(points) {
  const auto at = [&](std::size_t m) { return values + static_cast<Index>(m) * points; };
  std::vector<std::size_t> used;
  for (std::size_t m = 0; m < o.size(); ++m)
    if (o[m] != 0) used.push_back(m);
  for (std::size_t i = 0; i < used.size(); ++i) {
    const std::size_t m = used[i];
    const double scale = std::sqrt(std::abs(o[m]));
    const bool both = ScalarTraits<S>::is_real && i + 1 < used.size() && sign_of(o[m]) == sign_of(o[used[i + 1]]);
    append(at(m), scale, both ? at(used[i + 1]) : nullptr, both ? std::sqrt(std::abs(o[used[i + 1]])) : 0,
           sign_of(o[m]));
    if (both) ++i;
  }
}

template <class S>
void ExchangeSources<S>::append(const DoubleOf<S>* a, double scale_a, const DoubleOf<S>* b, double scale_b,
                                double sign) {
  signs_.push_back(sign);
  const std::size_t first = values_.size();
  values_.resize(first + static_cast<std::size_t>(points_));
  for (Index i = 0; i < points_; ++i) {
    std::complex<double> value = scale_a * a[i];
    if (b != nullptr) value += std::complex<double>(0, 1) * (scale_b * b[i]);
    values_[first + static_cast<std::size_t>(i)] = Complex(value);
  }
}

template <class S, class Real>
void add_pair_exchange(const PairFft<Real>& fft, const Real* kernel, const ExchangeSources<ScalarOf<S, Real>>& sources,
                       const ExchangeTargets<S>& targets, int threads) {
  using Complex = std::complex<Real>;
  const Index points = fft.inner_points(), size = points * targets.components;
#pragma omp parallel num_threads(threads)
  {
    typename PairFft<Real>::Workspace work = fft.workspace();
    TargetBand<ScalarOf<S, Real>> band(size);
    AlignedVector<double> spectrum(targets.spectrum != nullptr ? static_cast<std::size_t>(fft.points()) : 0);
    std::fill(spectrum.begin(), spectrum.end(), 0.0);
#pragma omp for schedule(static)
    for (Index n = 0; n < targets.count; ++n) {
      band.begin(targets.values + n * size);
      const auto* const u = band.u(targets.values + n * size);
      auto* const w = band.w(targets.w + n * size);
      for (Index m = 0; m < sources.count(); ++m) {
        const Complex* const source = sources.values(m);
        const auto sign = static_cast<Real>(sources.sign(m));
        const double factor = spectrum.empty() ? 0.0 : sources.sign(m) * targets.occupations[n];
        const auto fill = [&](Index first, Index count, Complex* p) {
          multiply(source + first, u + first, count, p);
          if constexpr (!ScalarTraits<S>::is_real)
            if (targets.components == 2) add_product(source + points + first, u + points + first, count, p);
        };
        const auto see = [&](Index first, Index count, const Complex* p) {
          if (spectrum.empty()) return;
          for (Index i = 0; i < count; ++i) spectrum[static_cast<std::size_t>(first + i)] += factor * std::norm(p[i]);
        };
        const auto take = [&](Index first, Index count, const Complex* p) {
          for (Index at = first; at < size; at += points) subtract_product(sign, source + at, p, count, w + at);
        };
        fft.convolve(kernel, fill, see, take, work);
      }
      band.end(targets.w + n * size);
    }
#pragma omp critical
    for (std::size_t i = 0; i < spectrum.size(); ++i) targets.spectrum[i] += spectrum[i];
  }
}

#define WAVEGRID_INSTANTIATE(S)                                                                                       \
  template class ExchangeSources<S>;                                                                                  \
  template class ExchangeSources<SingleOf<S>>;                                                                        \
  template void add_pair_exchange<S, double>(const PairFft<double>&, const double*, const ExchangeSources<S>&,        \
                                             const ExchangeTargets<S>&, int);                                         \
  template void add_pair_exchange<S, float>(const PairFft<float>&, const float*, const ExchangeSources<SingleOf<S>>&, \
                                            const ExchangeTargets<S>&, int);
WAVEGRID_INSTANTIATE(double)
WAVEGRID_INSTANTIATE(std::complex<double>)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
