// What is done with bands while they are on the grid: products and weighted squares. Everything here is local to the
// file that includes it.
#pragma once

#include <wavegrid/fft/band_lanes_passes.hpp>

namespace wavegrid {
namespace {

/// What the points of a line are multiplied by, for each of the parts of a vector.
template <class S>
struct LineFactors {
  using Line = const typename S::Real*;
  Line potential[S::parts], v_tau[S::parts];  // NOLINT(modernize-avoid-c-arrays)
  Line magnetic[3][S::parts];                 ///< B_x, B_y, B_z; NOLINT(modernize-avoid-c-arrays)
};
/// Weights of the squares of real and imaginary parts, or what else an action says.
template <class S>
struct LaneWeights {
  typename S::V re, im;
};

/// One number of each part's line for all its lanes.
template <class S, int parts = S::parts, int lanes = S::lanes>
[[gnu::always_inline]] inline Vector<typename S::Real, lanes> broadcast_lines(const typename S::Real* const* lines,
                                                                              int at) {
  if constexpr (parts == 1)
    return lines[0][at] - Vector<typename S::Real, lanes>{};
  else
    return join<typename S::Real, lanes / 2>(broadcast_lines<S, parts / 2, lanes / 2>(lines, at),
                                             broadcast_lines<S, parts / 2, lanes / 2>(lines + parts / 2, at),
                                             std::make_integer_sequence<int, lanes>());
}

/// Bands alone. In Mode::gamma a and b of a + i b have weights of their own.
template <class S>
struct BandAction {
  using V = typename S::V;
  using C = typename S::C;
  static constexpr int num_sums = 1;

  /// Real and imaginary parts of the product, exchanged: the other direction follows.
  [[gnu::always_inline]] static C product(C a, const LineFactors<S>& factors, int at) {
    const V v = broadcast_lines<S>(factors.potential, at);
    return {a.im * v, a.re * v};
  }
  [[gnu::always_inline]] static void squares(C a, const LaneWeights<S>& weights, V* sums) {
    sums[0] = weights.re * (a.re * a.re) + weights.im * (a.im * a.im);
  }
};

/// psi in the lower half of the lanes of each part, Lap psi in the upper one (Mode::complex). The weights in `re` are w
/// and -w/2.
template <class S>
struct LaplacianAction {
  using V = typename S::V;
  using C = typename S::C;
  using BothHalves = Halves<typename S::Real, S::lanes, S::reals>;
  static constexpr int num_sums = 1;

  [[gnu::always_inline]] static C product(C a, const LineFactors<S>& factors, int at) {
    const V v = broadcast_lines<S>(factors.potential, at) * BothHalves::lower();
    const V quarter = broadcast_lines<S>(factors.v_tau, at) * typename S::Real(-0.25);
    return {v * a.im + quarter * BothHalves::exchange(a.im), v * a.re + quarter * BothHalves::exchange(a.re)};
  }
  [[gnu::always_inline]] static void squares(C a, const LaneWeights<S>& weights, V* sums) {
    sums[0] = weights.re * (a.re * BothHalves::repeat_lower(a.re) + a.im * BothHalves::repeat_lower(a.im));
  }
};

/// psi + i Lap psi in each lane (Mode::gamma). The weights are w and -w/2.
template <class S>
struct RealLaplacianAction {
  using V = typename S::V;
  using C = typename S::C;
  static constexpr int num_sums = 2;

  [[gnu::always_inline]] static C product(C a, const LineFactors<S>& factors, int at) {
    const V v = broadcast_lines<S>(factors.potential, at);
    const V quarter = broadcast_lines<S>(factors.v_tau, at) * typename S::Real(-0.25);
    return {quarter * a.re, v * a.re + quarter * a.im};
  }
  [[gnu::always_inline]] static void squares(C a, const LaneWeights<S>& weights, V* sums) {
    sums[0] = weights.re * (a.re * a.re);
    sums[1] = weights.im * (a.re * a.im);
  }
};

/// Components up and down of spinors in lanes that follow each other (Mode::complex), and V + B.sigma. The weights in
/// `re` are those of spinors. Sums: the squares, and conj(up) down with the real part in the first lane of both.
template <class S>
struct SpinorAction {
  using V = typename S::V;
  using C = typename S::C;
  using Components = Halves<typename S::Real, S::lanes, 2>;
  static constexpr int num_sums = 2;

  /// 1 for up, -1 for down.
  [[gnu::always_inline]] static V sign() { return typename S::Real(2) * Components::lower() - typename S::Real(1); }
  [[gnu::always_inline]] static C product(C a, const LineFactors<S>& factors, int at) {
    const V v = broadcast_lines<S>(factors.potential, at) + sign() * broadcast_lines<S>(factors.magnetic[2], at);
    const V x = broadcast_lines<S>(factors.magnetic[0], at);
    const V y = sign() * broadcast_lines<S>(factors.magnetic[1], at);
    const V re = Components::exchange(a.re), im = Components::exchange(a.im);
    return {v * a.im + x * im - y * re, v * a.re + x * re + y * im};
  }
  [[gnu::always_inline]] static void squares(C a, const LaneWeights<S>& weights, V* sums) {
    const V re = Components::exchange(a.re), im = Components::exchange(a.im), up = Components::lower();
    sums[0] = weights.re * (a.re * a.re + a.im * a.im);
    sums[1] = weights.re * (up * (a.re * re + a.im * im) + (typename S::Real(1) - up) * (a.im * re - a.re * im));
  }
};

/// The second pass of the transform to the grid, the product of BandAction in registers, and the first pass back, in
/// place: the one yields the elements that the other takes. The other actions, which have more work, take lines from
/// memory.
template <class S, int radix>
void product_pass(typename S::C* buffer, int count, const LineFactors<S>& lines, const typename S::Real* factors) {
  for (int k = 0; k < count; ++k, factors += 2 * radix, buffer += radix) {
    typename S::C a[radix];  // NOLINT(modernize-avoid-c-arrays)
#pragma GCC unroll 16
    for (int j = 0; j < radix; ++j) a[j] = buffer[j];
    Radix<typename S::Real, S::lanes, radix>::run(a);
#pragma GCC unroll 16
    for (int j = 0; j < radix; ++j) a[j] = BandAction<S>::product(a[j], lines, k + count * j);
    Radix<typename S::Real, S::lanes, radix>::run(a);
    buffer[0] = a[0];
#pragma GCC unroll 16
    for (int j = 1; j < radix; ++j) buffer[j] = k == 0 ? a[j] : a[j].times(factors[2 * j], factors[2 * j + 1]);
  }
}

/// These passes by radix, 2 ... 10.
template <class S>
struct ProductPasses {
  using Product = void (*)(typename S::C*, int, const LineFactors<S>&, const typename S::Real*);
  static constexpr Product product[] = {product_pass<S, 2>, product_pass<S, 3>, product_pass<S, 4>,
                                        product_pass<S, 5>, product_pass<S, 6>, product_pass<S, 7>,
                                        product_pass<S, 8>, product_pass<S, 9>, product_pass<S, 10>};
};

}  // namespace
}  // namespace wavegrid
