// Discrete Fourier transforms of 2 to 10 numbers, one in each lane: a_j <- sum_k exp(+2 pi i j k / r) a_k. For the
// other sign the caller exchanges real and imaginary parts. Everything here is local to the file that includes it.
#pragma once

#include <wavegrid/fft/band_lanes_vector.hpp>

namespace wavegrid {
namespace {

template <class Real, int lanes>
struct ComplexVector {
  using V = Vector<Real, lanes>;
  V re, im;

  [[gnu::always_inline]] friend ComplexVector operator+(ComplexVector a, ComplexVector b) {
    return {a.re + b.re, a.im + b.im};
  }
  [[gnu::always_inline]] friend ComplexVector operator-(ComplexVector a, ComplexVector b) {
    return {a.re - b.re, a.im - b.im};
  }
  [[gnu::always_inline]] friend ComplexVector operator*(ComplexVector a, Real b) { return {a.re * b, a.im * b}; }
  [[gnu::always_inline]] ComplexVector times(Real c, Real s) const { return {re * c - im * s, re * s + im * c}; }
};

/// a + i b and a - i b
template <class C>
[[gnu::always_inline]] inline C plus_i(C a, C b) {
  return {a.re - b.im, a.im + b.re};
}
template <class C>
[[gnu::always_inline]] inline C minus_i(C a, C b) {
  return {a.re + b.im, a.im - b.re};
}

template <class Real, int lanes, int r>
struct Radix;

template <class Real, int lanes>
struct Radix<Real, lanes, 2> {
  using C = ComplexVector<Real, lanes>;
  [[gnu::always_inline]] static void run(C* a) {
    const C difference = a[0] - a[1];
    a[0] = a[0] + a[1];
    a[1] = difference;
  }
};

template <class Real, int lanes>
struct Radix<Real, lanes, 3> {
  using C = ComplexVector<Real, lanes>;
  [[gnu::always_inline]] static void run(C* a) {
    constexpr Real sine = Real(0.86602540378443864676);
    const C sum = a[1] + a[2], difference = (a[1] - a[2]) * sine, middle = a[0] - sum * Real(0.5);
    a[0] = a[0] + sum;
    a[1] = plus_i(middle, difference);
    a[2] = minus_i(middle, difference);
  }
};

template <class Real, int lanes>
struct Radix<Real, lanes, 4> {
  using C = ComplexVector<Real, lanes>;
  [[gnu::always_inline]] static void run(C* a) {
    const C s = a[0] + a[2], d = a[0] - a[2], t = a[1] + a[3], e = a[1] - a[3];
    a[0] = s + t, a[1] = plus_i(d, e), a[2] = s - t, a[3] = minus_i(d, e);
  }
};

template <class Real, int lanes>
struct Radix<Real, lanes, 5> {
  using C = ComplexVector<Real, lanes>;
  [[gnu::always_inline]] static void run(C* a) {
    constexpr Real root = Real(0.55901699437494742410);  // sqrt(5) / 4
    constexpr Real s1 = Real(0.95105651629515357212), s2 = Real(0.58778525229247312917);
    const C t1 = a[1] + a[4], t2 = a[2] + a[3], d1 = a[1] - a[4], d2 = a[2] - a[3];
    const C sum = t1 + t2, difference = (t1 - t2) * root, middle = a[0] - sum * Real(0.25);
    const C e1 = middle + difference, e2 = middle - difference;
    const C o1 = d1 * s1 + d2 * s2, o2 = d1 * s2 - d2 * s1;
    a[0] = a[0] + sum;
    a[1] = plus_i(e1, o1), a[4] = minus_i(e1, o1);
    a[2] = plus_i(e2, o2), a[3] = minus_i(e2, o2);
  }
};

template <class Real, int lanes>
struct Radix<Real, lanes, 7> {
  using C = ComplexVector<Real, lanes>;
  [[gnu::always_inline]] static void run(C* a) {
    constexpr Real c1 = Real(0.62348980185873353053), c2 = Real(-0.22252093395631440429),
                   c3 = Real(-0.90096886790241912624);
    constexpr Real s1 = Real(0.78183148246802980871), s2 = Real(0.97492791218182360702),
                   s3 = Real(0.43388373911755812048);
    const C t1 = a[1] + a[6], t2 = a[2] + a[5], t3 = a[3] + a[4];
    const C d1 = a[1] - a[6], d2 = a[2] - a[5], d3 = a[3] - a[4];
    const C e1 = a[0] + t1 * c1 + t2 * c2 + t3 * c3, o1 = d1 * s1 + d2 * s2 + d3 * s3;
    const C e2 = a[0] + t1 * c2 + t2 * c3 + t3 * c1, o2 = d1 * s2 - d2 * s3 - d3 * s1;
    const C e3 = a[0] + t1 * c3 + t2 * c1 + t3 * c2, o3 = d1 * s3 - d2 * s1 + d3 * s2;
    a[0] = a[0] + t1 + t2 + t3;
    a[1] = plus_i(e1, o1), a[6] = minus_i(e1, o1);
    a[2] = plus_i(e2, o2), a[5] = minus_i(e2, o2);
    a[3] = plus_i(e3, o3), a[4] = minus_i(e3, o3);
  }
};

/// Good and Thomas: frequency k is x[k mod 3] + (-1)^k y[k mod 3] of the transforms of a[2 j] and a[3 + 2 j].
template <class Real, int lanes>
struct Radix<Real, lanes, 6> {
  using C = ComplexVector<Real, lanes>;
  [[gnu::always_inline]] static void run(C* a) {
    C x[3] = {a[0], a[2], a[4]}, y[3] = {a[3], a[5], a[1]};  // NOLINT(modernize-avoid-c-arrays)
    Radix<Real, lanes, 3>::run(x);
    Radix<Real, lanes, 3>::run(y);
    a[0] = x[0] + y[0], a[3] = x[0] - y[0];
    a[4] = x[1] + y[1], a[1] = x[1] - y[1];
    a[2] = x[2] + y[2], a[5] = x[2] - y[2];
  }
};

/// Good and Thomas: frequency k is x[k mod 5] + (-1)^k y[k mod 5] of the transforms of a[2 j] and a[5 + 2 j].
template <class Real, int lanes>
struct Radix<Real, lanes, 10> {
  using C = ComplexVector<Real, lanes>;
  [[gnu::always_inline]] static void run(C* a) {
    C x[5] = {a[0], a[2], a[4], a[6], a[8]}, y[5] = {a[5], a[7], a[9], a[1], a[3]};  // NOLINT
    Radix<Real, lanes, 5>::run(x);
    Radix<Real, lanes, 5>::run(y);
#pragma GCC unroll 10
    for (int k = 0; k < 10; ++k) a[k] = k % 2 == 0 ? x[k % 5] + y[k % 5] : x[k % 5] - y[k % 5];
  }
};

template <class Real, int lanes>
struct Radix<Real, lanes, 8> {
  using C = ComplexVector<Real, lanes>;
  [[gnu::always_inline]] static void run(C* a) {
    constexpr Real h = Real(0.70710678118654752440);
    C even[4] = {a[0], a[2], a[4], a[6]}, odd[4] = {a[1], a[3], a[5], a[7]};  // NOLINT(modernize-avoid-c-arrays)
    Radix<Real, lanes, 4>::run(even);
    Radix<Real, lanes, 4>::run(odd);
    const C p = C{odd[1].re - odd[1].im, odd[1].re + odd[1].im} * h;  // exp(i pi / 4) odd[1]
    const C q = C{odd[3].re + odd[3].im, odd[3].im - odd[3].re} * h;  // exp(-i pi / 4) odd[3]
    a[0] = even[0] + odd[0], a[4] = even[0] - odd[0];
    a[1] = even[1] + p, a[5] = even[1] - p;
    a[2] = plus_i(even[2], odd[2]), a[6] = minus_i(even[2], odd[2]);
    a[3] = even[3] - q, a[7] = even[3] + q;
  }
};

template <class Real, int lanes>
struct Radix<Real, lanes, 9> {
  using C = ComplexVector<Real, lanes>;
  [[gnu::always_inline]] static void run(C* a) {
    constexpr Real c1 = Real(0.76604444311897803520), s1 = Real(0.64278760968653932632);   // 40 degrees
    constexpr Real c2 = Real(0.17364817766693034885), s2 = Real(0.98480775301220805937);   // 80
    constexpr Real c4 = Real(-0.93969262078590838405), s4 = Real(0.34202014332566873304);  // 160
    C x[3] = {a[0], a[3], a[6]}, y[3] = {a[1], a[4], a[7]}, z[3] = {a[2], a[5], a[8]};     // NOLINT
    Radix<Real, lanes, 3>::run(x);
    Radix<Real, lanes, 3>::run(y);
    Radix<Real, lanes, 3>::run(z);
    y[1] = y[1].times(c1, s1), z[1] = z[1].times(c2, s2);
    y[2] = y[2].times(c2, s2), z[2] = z[2].times(c4, s4);
#pragma GCC unroll 3
    for (int j = 0; j < 3; ++j) {
      C t[3] = {x[j], y[j], z[j]};  // NOLINT(modernize-avoid-c-arrays)
      Radix<Real, lanes, 3>::run(t);
      a[j] = t[0], a[j + 3] = t[1], a[j + 6] = t[2];
    }
  }
};

}  // namespace
}  // namespace wavegrid
