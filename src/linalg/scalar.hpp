// The number type of coefficients and subspace matrices: real for Gamma, complex for any k; double or single precision.
#pragma once

#include <complex>
#include <concepts>

namespace wavegrid {

/// How a band of `n` plane waves is seen as rows of S: 2n real rows in Gamma mode, n complex rows otherwise.
template <class S>
struct ScalarTraits;

template <std::floating_point T>
struct ScalarTraits<T> {
  using Real = T;
  static constexpr bool is_real = true;
  static constexpr int rows_per_wave = 2;
};
template <std::floating_point T>
struct ScalarTraits<std::complex<T>> {
  using Real = T;
  static constexpr bool is_real = false;
  static constexpr int rows_per_wave = 1;
};

/// float or double, whichever S is made of.
template <class S>
using RealOf = typename ScalarTraits<S>::Real;
/// A plane-wave coefficient in the precision of S.
template <class S>
using ComplexOf = std::complex<RealOf<S>>;

template <std::floating_point T>
[[nodiscard]] T conjugate(T x) {
  return x;
}
template <std::floating_point T>
[[nodiscard]] std::complex<T> conjugate(const std::complex<T>& x) {
  return std::conj(x);
}
template <std::floating_point T>
[[nodiscard]] T real_part(T x) {
  return x;
}
template <std::floating_point T>
[[nodiscard]] T real_part(const std::complex<T>& x) {
  return x.real();
}

}  // namespace wavegrid
