// The number type of coefficients and subspace matrices: real for Gamma, complex for any k.
#pragma once

#include <complex>

namespace wavegrid {

/// How a band of `n` plane waves is seen as rows of S: 2n real rows in Gamma mode, n complex rows otherwise.
template <class S>
struct ScalarTraits;

template <>
struct ScalarTraits<double> {
  static constexpr bool is_real = true;
  static constexpr int rows_per_wave = 2;
};
template <>
struct ScalarTraits<std::complex<double>> {
  static constexpr bool is_real = false;
  static constexpr int rows_per_wave = 1;
};

[[nodiscard]] inline double conjugate(double x) { return x; }
[[nodiscard]] inline std::complex<double> conjugate(const std::complex<double>& x) { return std::conj(x); }
[[nodiscard]] inline double real_part(double x) { return x; }
[[nodiscard]] inline double real_part(const std::complex<double>& x) { return x.real(); }

}  // namespace wavegrid
