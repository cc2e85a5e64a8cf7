// Vectors of the kernels of band_lanes_fft.hpp: their width is a parameter, so that one program may hold kernels for
// several instruction sets. Everything here is local to the file that includes it.
#pragma once

#include <utility>

#include <wavegrid/base/index.hpp>

namespace wavegrid {
namespace {

template <class Real, int lanes>
struct VectorType {
  typedef Real type __attribute__((vector_size(lanes * sizeof(Real))));  // NOLINT(modernize-use-using)
  /// The same in memory, at the address of any number.
  typedef Real in_memory  // NOLINT(modernize-use-using)
      __attribute__((vector_size(lanes * sizeof(Real)), aligned(sizeof(Real)), may_alias));
};
template <class Real, int lanes>
using Vector = typename VectorType<Real, lanes>::type;

template <int lanes, class Real>
[[gnu::always_inline]] inline Vector<Real, lanes> load(const Real* from) {
  return *reinterpret_cast<const typename VectorType<Real, lanes>::in_memory*>(from);
}
template <int lanes, class Real>
[[gnu::always_inline]] inline void store(Vector<Real, lanes> v, Real* to) {
  *reinterpret_cast<typename VectorType<Real, lanes>::in_memory*>(to) = v;
}

template <class Real, int lanes, int... i>
[[gnu::always_inline]] inline Vector<Real, 2 * lanes> join(Vector<Real, lanes> a, Vector<Real, lanes> b,
                                                           std::integer_sequence<int, i...>) {
  return __builtin_shufflevector(a, b, i...);
}
template <class Real, int lanes, int first, int... i>
[[gnu::always_inline]] inline Vector<Real, sizeof...(i)> part(Vector<Real, lanes> v, std::integer_sequence<int, i...>) {
  return __builtin_shufflevector(v, v, (first + i)...);
}

/// The lanes of `parts` vectors in memory, `distance` numbers from one to the next, one after the other.
template <class Real, int lanes, int parts>
[[gnu::always_inline]] inline Vector<Real, lanes> load_parts(const Real* from, Index distance) {
  if constexpr (parts == 1) {
    return load<lanes>(from);
  } else {
    constexpr int half = lanes / 2;
    return join<Real, half>(load_parts<Real, half, parts / 2>(from, distance),
                            load_parts<Real, half, parts / 2>(from + parts / 2 * distance, distance),
                            std::make_integer_sequence<int, lanes>());
  }
}
template <class Real, int lanes, int parts>
[[gnu::always_inline]] inline void store_parts(Vector<Real, lanes> v, Real* to, Index distance) {
  if constexpr (parts == 1) {
    store<lanes>(v, to);
  } else {
    constexpr int half = lanes / 2;
    constexpr auto of_half = std::make_integer_sequence<int, half>();
    store_parts<Real, half, parts / 2>(part<Real, lanes, 0>(v, of_half), to, distance);
    store_parts<Real, half, parts / 2>(part<Real, lanes, half>(v, of_half), to + parts / 2 * distance, distance);
  }
}
/// The lower and upper half of the lanes in each period.
template <class Real, int period, class Lanes>
struct LaneHalves;
template <class Real, int period, int... lane>
struct LaneHalves<Real, period, std::integer_sequence<int, lane...>> {
  static constexpr int half = period / 2;
  using V = Vector<Real, sizeof...(lane)>;

  [[gnu::always_inline]] static V exchange(V v) { return __builtin_shufflevector(v, v, (lane ^ half)...); }
  [[gnu::always_inline]] static V repeat_lower(V v) { return __builtin_shufflevector(v, v, (lane & ~half)...); }
  /// 1 in the lower half, 0 in the upper one.
  [[gnu::always_inline]] static V lower() { return V{Real((lane & half) == 0)...}; }
};
template <class Real, int lanes, int period>
using Halves = LaneHalves<Real, period, std::make_integer_sequence<int, lanes>>;

/// Exchanges the upper right and lower left blocks of size `step` in all squares of two rows.
template <class Real, int lanes, int step, int... column>
[[gnu::always_inline]] inline void exchange_squares(Vector<Real, lanes>& a, Vector<Real, lanes>& b,
                                                    std::integer_sequence<int, column...>) {
  constexpr auto in_b = [](int c) { return (c & step) != 0; };
  const Vector<Real, lanes> first = __builtin_shufflevector(a, b, (in_b(column) ? lanes + column - step : column)...);
  b = __builtin_shufflevector(a, b, (in_b(column) ? lanes + column : column + step)...);
  a = first;
}
/// The transpose of a square of numbers.
template <class Real, int lanes, int step = lanes / 2>
[[gnu::always_inline]] inline void transpose(Vector<Real, lanes>* rows) {
  if constexpr (step > 0) {
#pragma GCC unroll 16
    for (int i = 0; i < lanes; ++i)
      if ((i & step) == 0)
        exchange_squares<Real, lanes, step>(rows[i], rows[i + step], std::make_integer_sequence<int, lanes>());
    transpose<Real, lanes, step / 2>(rows);
  }
}

}  // namespace
}  // namespace wavegrid
