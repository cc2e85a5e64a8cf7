// The passes of one transform of all bands: each takes elements, (re, im) of all lanes, through one radix.
// Everything here is local to the file that includes it.
#pragma once

#include <wavegrid/fft/band_lanes_plan.hpp>
#include <wavegrid/fft/band_lanes_radix.hpp>

namespace wavegrid {
namespace {

/// Elements of a line in memory: element j begins at begin + offsets[j], its parts `distance` numbers apart.
template <class Pointer>
struct LineElements {
  Pointer begin;
  const int* offsets;  ///< below 0: nothing is stored
  Index distance;
};

/// Lanes of an element and how many lines along the other axis they hold: lanes / parts bands of each.
template <class R, int all_lanes, int num_parts>
struct Shape {
  using Real = R;
  static constexpr int lanes = all_lanes, parts = num_parts, reals = all_lanes / num_parts;
  using V = Vector<Real, lanes>;
  using C = ComplexVector<Real, lanes>;

  [[gnu::always_inline]] static C load_element(const Real* p, Index distance, bool swapped) {
    return {load_parts<Real, lanes, parts>(p + (swapped ? reals : 0), distance),
            load_parts<Real, lanes, parts>(p + (swapped ? 0 : reals), distance)};
  }
  [[gnu::always_inline]] static void store_element(C c, Real* p, Index distance, bool swapped) {
    store_parts<Real, lanes, parts>(c.re, p + (swapped ? reals : 0), distance);
    store_parts<Real, lanes, parts>(c.im, p + (swapped ? 0 : reals), distance);
  }
};

/// Elements j2 + second j1 of the input, for all j1, times factors, become elements first-major of the buffer:
/// (first, second). `swapped`: the transform with exp(-i ...).
template <class S, int radix>
void first_pass(const LineElements<const typename S::Real*>& in, bool swapped,
                const BandLanesAxis<typename S::Real>& axis, typename S::C* buffer) {
  const int count = axis.second;
  const auto* factors = axis.factors;
  for (int j = 0; j < count; ++j, factors += 2 * radix) {
    typename S::C a[radix];  // NOLINT(modernize-avoid-c-arrays)
#pragma GCC unroll 16
    for (int k = 0; k < radix; ++k) a[k] = S::load_element(in.begin + in.offsets[j + count * k], in.distance, swapped);
    Radix<typename S::Real, S::lanes, radix>::run(a);
    buffer[j] = a[0];
#pragma GCC unroll 16
    for (int k = 1; k < radix; ++k)
      buffer[j + count * k] = j == 0 ? a[k] : a[k].times(factors[2 * k], factors[2 * k + 1]);
  }
}

/// The second pass: element k1 + first k2 of the output from elements (k1, j2) of the buffer, `step` from j2 to j2 + 1
/// and `group` from k1 to k1 + 1.
template <class S, int radix>
void second_pass(const typename S::C* buffer, int group, int step, int count, bool swapped,
                 const LineElements<typename S::Real*>& out) {
  for (int k = 0; k < count; ++k) {
    typename S::C a[radix];  // NOLINT(modernize-avoid-c-arrays)
#pragma GCC unroll 16
    for (int j = 0; j < radix; ++j) a[j] = buffer[k * group + j * step];
    Radix<typename S::Real, S::lanes, radix>::run(a);
#pragma GCC unroll 16
    for (int j = 0; j < radix; ++j) {
      const int offset = out.offsets[k + count * j];
      if (offset >= 0) S::store_element(a[j], out.begin + offset, out.distance, swapped);
    }
  }
}

/// Passes by radix.
template <class S>
struct PassTable {
  using Real = typename S::Real;
  using First = void (*)(const LineElements<const Real*>&, bool, const BandLanesAxis<Real>&, typename S::C*);
  using Second = void (*)(const typename S::C*, int, int, int, bool, const LineElements<Real*>&);
  // radices 2 ... 10
  static constexpr First first[] = {first_pass<S, 2>, first_pass<S, 3>, first_pass<S, 4>,
                                    first_pass<S, 5>, first_pass<S, 6>, first_pass<S, 7>,
                                    first_pass<S, 8>, first_pass<S, 9>, first_pass<S, 10>};
  static constexpr Second second[] = {second_pass<S, 2>, second_pass<S, 3>, second_pass<S, 4>,
                                      second_pass<S, 5>, second_pass<S, 6>, second_pass<S, 7>,
                                      second_pass<S, 8>, second_pass<S, 9>, second_pass<S, 10>};
};

/// A whole transform of one line.
template <class S>
[[gnu::always_inline]] inline void transform(const BandLanesAxis<typename S::Real>& axis, bool swapped,
                                             const LineElements<const typename S::Real*>& in,
                                             const LineElements<typename S::Real*>& out, typename S::C* buffer) {
  PassTable<S>::first[axis.first - 2](in, swapped, axis, buffer);
  PassTable<S>::second[axis.second - 2](buffer, axis.second, 1, axis.first, swapped, out);
}

}  // namespace
}  // namespace wavegrid
