// The number type of bands and subspace matrices: real or complex, double or single precision.
#pragma once

#include <complex>
#include <concepts>
#include <type_traits>

namespace wavegrid {

template <class S>
struct ScalarTraits;

template <std::floating_point T>
struct ScalarTraits<T> {
  using Real = T;
  static constexpr bool is_real = true;
};
template <std::floating_point T>
struct ScalarTraits<std::complex<T>> {
  using Real = T;
  static constexpr bool is_real = false;
};

/// float or double, whichever S is made of.
template <class S>
using RealOf = typename ScalarTraits<S>::Real;
/// A complex number in the precision of S.
template <class S>
using ComplexOf = std::complex<RealOf<S>>;

/// The scalar of the same kind, real or complex, made of Real.
template <class S, std::floating_point Real>
using ScalarOf = std::conditional_t<ScalarTraits<S>::is_real, Real, std::complex<Real>>;
template <class S>
using DoubleOf = ScalarOf<S, double>;
template <class S>
using SingleOf = ScalarOf<S, float>;
template <class S>
inline constexpr bool is_single = std::is_same_v<RealOf<S>, float>;

/// Explicit instantiations: instantiate(S) for every scalar.
#define WAVEGRID_FOR_ALL_SCALARS(instantiate) \
  instantiate(double) instantiate(std::complex<double>) instantiate(float) instantiate(std::complex<float>)

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
