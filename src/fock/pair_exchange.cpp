#include <algorithm>
#include <cmath>

#include <wavegrid/fock/pair_exchange.hpp>

namespace wavegrid {

namespace {

using Complex = std::complex<double>;

double sign_of(double value) { return value < 0 ? -1.0 : 1.0; }

const double* numbers(const Complex* values) { return reinterpret_cast<const double*>(values); }

// In real numbers, which compilers turn into vector instructions.

/// p = u source, of two real bands as one complex number.
void multiply(const Complex* source, const double* u, Index count, Complex* p) {
  const double* const s = numbers(source);
  auto* const out = reinterpret_cast<double*>(p);
#pragma omp simd
  for (Index i = 0; i < count; ++i) {
    out[2 * i] = u[i] * s[2 * i];
    out[2 * i + 1] = u[i] * s[2 * i + 1];
  }
}
/// p = conj(source) u.
void multiply(const Complex* source, const Complex* u, Index count, Complex* p) {
  const double *const s = numbers(source), *const v = numbers(u);
  auto* const out = reinterpret_cast<double*>(p);
#pragma omp simd
  for (Index i = 0; i < count; ++i) {
    const double re = s[2 * i] * v[2 * i] + s[2 * i + 1] * v[2 * i + 1];
    const double im = s[2 * i] * v[2 * i + 1] - s[2 * i + 1] * v[2 * i];
    out[2 * i] = re;
    out[2 * i + 1] = im;
  }
}
/// p += conj(source) u.
void add_product(const Complex* source, const Complex* u, Index count, Complex* p) {
  const double *const s = numbers(source), *const v = numbers(u);
  auto* const out = reinterpret_cast<double*>(p);
#pragma omp simd
  for (Index i = 0; i < count; ++i) {
    out[2 * i] += s[2 * i] * v[2 * i] + s[2 * i + 1] * v[2 * i + 1];
    out[2 * i + 1] += s[2 * i] * v[2 * i + 1] - s[2 * i + 1] * v[2 * i];
  }
}
/// w -= sign (source . p), of two real bands.
void subtract_product(double sign, const Complex* source, const Complex* p, Index count, double* w) {
  const double *const s = numbers(source), *const v = numbers(p);
#pragma omp simd
  for (Index i = 0; i < count; ++i) w[i] -= sign * (s[2 * i] * v[2 * i] + s[2 * i + 1] * v[2 * i + 1]);
}
/// w -= sign source p.
void subtract_product(double sign, const Complex* source, const Complex* p, Index count, Complex* w) {
  const double *const s = numbers(source), *const v = numbers(p);
  auto* const out = reinterpret_cast<double*>(w);
#pragma omp simd
  for (Index i = 0; i < count; ++i) {
    out[2 * i] -= sign * (s[2 * i] * v[2 * i] - s[2 * i + 1] * v[2 * i + 1]);
    out[2 * i + 1] -= sign * (s[2 * i] * v[2 * i + 1] + s[2 * i + 1] * v[2 * i]);
  }
}

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
  const Index points = fft.points();
#pragma omp parallel num_threads(threads)
  {
    BoxFft::Workspace work = fft.workspace();
    AlignedVector<double> spectrum(targets.spectrum != nullptr ? static_cast<std::size_t>(points) : 0);
    std::fill(spectrum.begin(), spectrum.end(), 0.0);
#pragma omp for schedule(static)
    for (Index n = 0; n < targets.count; ++n) {
      const S* const u = targets.values + n * points * targets.components;
      S* const w = targets.w + n * points * targets.components;
      for (Index m = 0; m < sources.count(); ++m) {
        const Complex* const source = sources.values(m);
        const double sign = sources.sign(m), factor = spectrum.empty() ? 0.0 : sign * targets.occupations[n];
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
          for (Index at = first; at < targets.components * points; at += points)
            subtract_product(sign, source + at, p, count, w + at);
        };
        fft.convolve(kernel, fill, see, take, work);
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
