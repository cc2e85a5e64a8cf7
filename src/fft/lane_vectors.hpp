// Vectors with one real number of each of several transforms, and their conversion from and to rows and columns.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include <wavegrid/base/index.hpp>

namespace wavegrid {

#if defined(__AVX__)
inline constexpr std::size_t lane_bytes = 32;
#else
inline constexpr std::size_t lane_bytes = 16;  // SSE2, NEON
#endif

template <class Real>
struct LaneVector;
template <>
struct LaneVector<float> {
  typedef float type __attribute__((vector_size(lane_bytes)));  // NOLINT(modernize-use-using)
};
template <>
struct LaneVector<double> {
  typedef double type __attribute__((vector_size(lane_bytes)));  // NOLINT(modernize-use-using)
};
/// One real number of each of num_lanes transforms.
template <class Real>
using Lanes = typename LaneVector<Real>::type;
template <class Real>
inline constexpr int num_lanes = lane_bytes / sizeof(Real);
template <class Real>
using AllLanes = std::make_index_sequence<num_lanes<Real>>;

template <class Real>
[[nodiscard]] Lanes<Real> load_lanes(const Real* from) {
  Lanes<Real> v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
template <class Real>
void store_lanes(Lanes<Real> v, Real* to) {
  std::memcpy(to, &v, sizeof v);
}

/// Exchanges the upper right and lower left blocks of size `step` in all squares of two rows.
template <class Real, int step, std::size_t... column>
[[gnu::always_inline]] inline void exchange_blocks(Lanes<Real>& a, Lanes<Real>& b, std::index_sequence<column...>) {
  constexpr auto in_b = [](std::size_t c) { return (c & std::size_t{step}) != 0; };
  constexpr std::size_t n = num_lanes<Real>;
  const Lanes<Real> first =
      __builtin_shufflevector(a, b, static_cast<int>(in_b(column) ? n + column - step : column)...);
  b = __builtin_shufflevector(a, b, static_cast<int>(in_b(column) ? n + column : column + step)...);
  a = first;
}

/// The transpose of a square of real numbers.
template <class Real, int step = num_lanes<Real> / 2>
[[gnu::always_inline]] inline void transpose_lanes(Lanes<Real>* rows) {
#pragma GCC unroll 16
  for (int i = 0; i < num_lanes<Real>; ++i)
    if ((i & step) == 0) exchange_blocks<Real, step>(rows[i], rows[i + step], AllLanes<Real>());
  if constexpr (step > 1) transpose_lanes<Real, step / 2>(rows);
}

/// Row i of `reals` numbers becomes lane i of as many vectors; with fewer than num_lanes rows, row 0 is repeated.
template <class Real>
void lanes_from_rows(const Real* in, Index distance, int count, int reals, Lanes<Real>* out) {
  constexpr int n = num_lanes<Real>;
  if (reals < n) {
    std::array<Real, n> one{};
    for (int c = 0; c < reals; ++c) {
      for (int i = 0; i < n; ++i) one[static_cast<std::size_t>(i)] = in[(i < count ? i : 0) * distance + c];
      out[c] = load_lanes(one.data());
    }
    return;
  }
  // The last square overlaps the one before.
  for (int next = 0; next < reals; next += n) {
    const int c = std::min(next, reals - n);
    Lanes<Real> square[n];  // NOLINT(modernize-avoid-c-arrays)
#pragma GCC unroll 16
    for (int i = 0; i < n; ++i) square[i] = load_lanes(in + (i < count ? i : 0) * distance + c);
    transpose_lanes<Real>(square);
#pragma GCC unroll 16
    for (int i = 0; i < n; ++i) out[c + i] = square[i];
  }
}

/// The first `count` lanes become rows.
template <class Real>
void lanes_to_rows(const Lanes<Real>* in, int reals, int count, Real* out, Index distance) {
  constexpr int n = num_lanes<Real>;
  if (reals < n) {
    std::array<Real, n> one;
    for (int c = 0; c < reals; ++c) {
      store_lanes(in[c], one.data());
      for (int i = 0; i < count; ++i) out[i * distance + c] = one[static_cast<std::size_t>(i)];
    }
    return;
  }
  for (int next = 0; next < reals; next += n) {
    const int c = std::min(next, reals - n);
    Lanes<Real> square[n];  // NOLINT(modernize-avoid-c-arrays)
#pragma GCC unroll 16
    for (int i = 0; i < n; ++i) square[i] = in[c + i];
    transpose_lanes<Real>(square);
#pragma GCC unroll 16
    for (int i = 0; i < n; ++i)
      if (i < count) store_lanes(square[i], out + i * distance + c);
  }
}

template <class Real, std::size_t... i>
void separate_parts(Lanes<Real> a, Lanes<Real> b, Lanes<Real>* parts, std::index_sequence<i...>) {
  parts[0] = __builtin_shufflevector(a, b, static_cast<int>(2 * i)...);
  parts[1] = __builtin_shufflevector(a, b, static_cast<int>(2 * i + 1)...);
}
template <class Real, std::size_t... i>
void interleave_parts(Lanes<Real> re, Lanes<Real> im, Real* out, std::index_sequence<i...>) {
  constexpr std::size_t n = num_lanes<Real>;
  store_lanes<Real>(__builtin_shufflevector(re, im, static_cast<int>(i / 2 + i % 2 * n)...), out);
  store_lanes<Real>(__builtin_shufflevector(re, im, static_cast<int>(n / 2 + i / 2 + i % 2 * n)...), out + n);
}

/// Column i of n complex numbers, `stride` real ones from one to the next, becomes lane i of as many pairs of vectors.
template <class Real>
void lanes_from_columns(const Real* in, Index stride, int count, int n, Lanes<Real>* out) {
  std::array<Real, 2 * num_lanes<Real>> some{};
  for (int j = 0; j < n; ++j, in += stride) {
    const Real* from = in;
    if (count < num_lanes<Real>) {
      std::copy_n(in, 2 * count, some.begin());
      from = some.data();
    }
    separate_parts<Real>(load_lanes(from), load_lanes(from + num_lanes<Real>), out + 2 * j, AllLanes<Real>());
  }
}

/// The first `count` lanes become columns.
template <class Real>
void lanes_to_columns(const Lanes<Real>* in, int n, int count, Real* out, Index stride) {
  std::array<Real, 2 * num_lanes<Real>> some;
  for (int j = 0; j < n; ++j, out += stride) {
    const bool whole = count == num_lanes<Real>;
    interleave_parts<Real>(in[2 * j], in[2 * j + 1], whole ? out : some.data(), AllLanes<Real>());
    if (!whole) std::copy_n(some.begin(), 2 * count, out);
  }
}

}  // namespace wavegrid
