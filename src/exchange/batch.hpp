// What one exchange moves, and in which direction.
#pragma once

#include <complex>
#include <type_traits>

#include <wavegrid/base/index.hpp>

namespace wavegrid {

/// What is moved together: consecutive arrays ("bands") of one layout. An element of the layout is one number, or a
/// tuple of `values` consecutive numbers, such as the values of all states at a mesh point.
struct Batch {
  Index count = 1;          ///< bands, 0 or more
  Index source_stride = 0;  ///< elements between the starts of two bands in the source array: with several bands at
                            ///< least source_extent() of the plan
  Index target_stride = 0;  ///< the same in the target array
  Index values = 1;         ///< numbers per element, 1 or more
};

/// In which direction values move along a plan.
enum class ExchangeDirection {
  forward,   ///< source to target
  backward,  ///< target to source
  adjoint,   ///< target added to source: this rank's own part and its partners', in the order of add_in_order()
};

/// The types of numbers that can be exchanged.
enum class NumberType { float32, float64, complex64, complex128, int64 };

/// Bytes of a number.
[[nodiscard]] constexpr Index size_of(NumberType type) {
  return type == NumberType::float32 ? 4 : type == NumberType::complex128 ? 16 : 8;
}

template <class T>
[[nodiscard]] constexpr NumberType number_type() {
  constexpr bool is_real = std::is_same_v<T, float> || std::is_same_v<T, double>;
  constexpr bool is_complex = std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;
  static_assert(is_real || is_complex || std::is_same_v<T, Index>,
                "an exchange moves numbers of type float, double, std::complex<float>, std::complex<double> or "
                "wavegrid::Index (64 bits)");
  if constexpr (is_real) return sizeof(T) == 4 ? NumberType::float32 : NumberType::float64;
  if constexpr (is_complex) return sizeof(T) == 8 ? NumberType::complex64 : NumberType::complex128;
  return NumberType::int64;
}

}  // namespace wavegrid
