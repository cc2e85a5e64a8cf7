#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include <wavegrid/fft/lane_fft.hpp>
#include <wavegrid/fft/lane_vectors.hpp>

namespace wavegrid {

namespace {

template <class Real>
struct ComplexLanes {
  Lanes<Real> re, im;

  friend ComplexLanes operator+(ComplexLanes a, ComplexLanes b) { return {a.re + b.re, a.im + b.im}; }
  friend ComplexLanes operator-(ComplexLanes a, ComplexLanes b) { return {a.re - b.re, a.im - b.im}; }
  friend ComplexLanes operator*(ComplexLanes a, Real b) { return {a.re * b, a.im * b}; }
  [[nodiscard]] ComplexLanes times(Real c, Real s) const { return {re * c - im * s, re * s + im * c}; }
  [[nodiscard]] ComplexLanes times_i() const { return {-im, re}; }
};

/// cos and sin of 2 pi k / r for k = 1 ... (r - 1) / 2.
template <int r>
struct Roots;
template <>
struct Roots<3> {
  static constexpr std::array cos{-0.5}, sin{0.86602540378443864676};
};
template <>
struct Roots<5> {
  static constexpr std::array cos{0.30901699437494742410, -0.80901699437494742410};
  static constexpr std::array sin{0.95105651629515357212, 0.58778525229247312917};
};
template <>
struct Roots<7> {
  static constexpr std::array cos{0.62348980185873353053, -0.22252093395631440429, -0.90096886790241912624};
  static constexpr std::array sin{0.78183148246802980871, 0.97492791218182360702, 0.43388373911755812048};
};

template <int r>
constexpr double root_cos(int k) {
  return Roots<r>::cos[static_cast<std::size_t>(std::min(k % r, r - k % r) - 1)];
}
template <int r>
constexpr double root_sin(int k) {
  return (k % r > r / 2 ? -1 : 1) * Roots<r>::sin[static_cast<std::size_t>(std::min(k % r, r - k % r) - 1)];
}

/// a_j <- sum_k exp(+2 pi i j k / r) a_k, for an odd prime r: sums and differences of a_k and a_(r-k).
template <class Real, int r>
[[gnu::always_inline]] inline void transform_prime(ComplexLanes<Real>* a) {
  using C = ComplexLanes<Real>;
  constexpr int half = r / 2;
  C sums[half], differences[half], total = a[0];  // NOLINT(modernize-avoid-c-arrays)
#pragma GCC unroll 8
  for (int k = 0; k < half; ++k) {
    sums[k] = a[k + 1] + a[r - 1 - k];
    differences[k] = (a[k + 1] - a[r - 1 - k]).times_i();
    total = total + sums[k];
  }
#pragma GCC unroll 8
  for (int j = 1; j <= half; ++j) {
    C even = a[0] + sums[0] * Real(root_cos<r>(j)), odd = differences[0] * Real(root_sin<r>(j));
#pragma GCC unroll 8
    for (int k = 1; k < half; ++k) {
      even = even + sums[k] * Real(root_cos<r>(j * (k + 1)));
      odd = odd + differences[k] * Real(root_sin<r>(j * (k + 1)));
    }
    a[j] = even + odd;
    a[r - j] = even - odd;
  }
  a[0] = total;
}

template <class Real, int r>
[[gnu::always_inline]] inline void transform_radix(ComplexLanes<Real>* a) {
  using C = ComplexLanes<Real>;
  if constexpr (r == 2) {
    const C difference = a[0] - a[1];
    a[0] = a[0] + a[1];
    a[1] = difference;
  } else if constexpr (r == 4) {
    const C s = a[0] + a[2], d = a[0] - a[2], t = a[1] + a[3], e = (a[1] - a[3]).times_i();
    a[0] = s + t, a[1] = d + e, a[2] = s - t, a[3] = d - e;
  } else if constexpr (r == 8) {
    constexpr Real h = Real(std::numbers::sqrt2 / 2);
    C even[4] = {a[0], a[2], a[4], a[6]}, odd[4] = {a[1], a[3], a[5], a[7]};  // NOLINT(modernize-avoid-c-arrays)
    transform_radix<Real, 4>(even);
    transform_radix<Real, 4>(odd);
    odd[1] = odd[1].times(h, h);
    odd[2] = odd[2].times_i();
    odd[3] = odd[3].times(-h, h);
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) a[j] = even[j] + odd[j], a[j + 4] = even[j] - odd[j];
  } else {
    transform_prime<Real, r>(a);
  }
}

/// Real and imaginary parts of elements, 2 vectors from one to the next.
template <class Vector>
struct Parts {
  Vector* re;
  Vector* im;
};

/// One pass of Stockham's algorithm: elements q + done (p + rest k) of the input, for all k, become
/// q + done (radix p + k) of the output.
template <class Real, int r>
void pass(int rest, int done, Parts<const Lanes<Real>> in, Parts<Lanes<Real>> out, const Real* factors) {
  using C = ComplexLanes<Real>;
  for (int p = 0; p < rest; ++p, factors += 2 * (r - 1))
    for (int q = 0; q < done; ++q) {
      C a[r];  // NOLINT(modernize-avoid-c-arrays)
#pragma GCC unroll 8
      for (int k = 0; k < r; ++k) {
        const int at = 2 * (q + done * (p + rest * k));
        a[k] = {in.re[at], in.im[at]};
      }
      transform_radix<Real, r>(a);
      const int to = 2 * (q + done * r * p);
      out.re[to] = a[0].re, out.im[to] = a[0].im;
#pragma GCC unroll 8
      for (int k = 1; k < r; ++k) {
        const C b = p == 0 ? a[k] : a[k].times(factors[2 * k - 2], factors[2 * k - 1]);
        out.re[to + 2 * done * k] = b.re, out.im[to + 2 * done * k] = b.im;
      }
    }
}

template <class Real>
void pass_of(int radix, int rest, int done, Parts<const Lanes<Real>> in, Parts<Lanes<Real>> out, const Real* factors) {
  switch (radix) {
    case 2:
      return pass<Real, 2>(rest, done, in, out, factors);
    case 3:
      return pass<Real, 3>(rest, done, in, out, factors);
    case 4:
      return pass<Real, 4>(rest, done, in, out, factors);
    case 5:
      return pass<Real, 5>(rest, done, in, out, factors);
    case 7:
      return pass<Real, 7>(rest, done, in, out, factors);
    default:
      return pass<Real, 8>(rest, done, in, out, factors);
  }
}

/// The radices of a length, empty if it has other prime factors.
std::vector<int> radices_of(int n) {
  std::vector<int> radices;
  int rest = n;
  for (const int r : {7, 5, 3})
    for (; rest % r == 0; rest /= r) radices.push_back(r);
  for (; rest % 8 == 0 && rest != 16; rest /= 8) radices.push_back(8);
  for (; rest % 4 == 0; rest /= 4) radices.push_back(4);
  for (; rest % 2 == 0; rest /= 2) radices.push_back(2);
  return rest == 1 ? radices : std::vector<int>();
}

}  // namespace

template <class Real>
Index LaneFft<Real>::lanes() {
  return num_lanes<Real>;
}

template <class Real>
bool LaneFft<Real>::handles(const FftShape& shape) {
  const auto side = [&](int stride, int distance) { return stride == 1 ? distance >= shape.n : distance == 1; };
  return shape.n > 1 && !radices_of(shape.n).empty() && side(shape.in_stride, shape.in_distance) &&
         side(shape.out_stride, shape.out_distance);
}

template <class Real>
LaneFft<Real>::LaneFft(const FftShape& shape, FftDirection direction) : shape_(shape), direction_(direction) {
  int length = shape.n, done = 1;
  for (const int radix : radices_of(shape.n)) {
    const int rest = length / radix;
    passes_.push_back({radix, rest, done, factors_.size()});
    for (int p = 0; p < rest; ++p)
      for (int k = 1; k < radix; ++k) {
        const double angle = 2 * std::numbers::pi * p * k / length;
        factors_.push_back(static_cast<Real>(std::cos(angle)));
        factors_.push_back(static_cast<Real>(std::sin(angle)));
      }
    length = rest;
    done *= radix;
  }
}

template <class Real>
Index LaneFft<Real>::workspace() const {
  return 2 * Index{shape_.n} * num_lanes<Real>;
}

template <class Real>
Real* LaneFft<Real>::run_lanes(FftDirection direction, Real* a, Real* b) const {
  auto *from = reinterpret_cast<Lanes<Real>*>(a), *to = reinterpret_cast<Lanes<Real>*>(b);
  // The transform with the other sign is that of the numbers with real and imaginary parts exchanged.
  const int re = direction == FftDirection::forward ? 1 : 0, im = 1 - re;
  for (const Pass& p : passes_) {
    pass_of<Real>(p.radix, p.rest, p.done, {from + re, from + im}, {to + re, to + im},
                  factors_.data() + p.first_factor);
    std::swap(from, to);
  }
  return reinterpret_cast<Real*>(from);
}

template <class Real>
void LaneFft<Real>::run(const Complex* in, Complex* out, Complex* work) const {
  constexpr int lanes = num_lanes<Real>;
  const FftShape& s = shape_;
  auto* const first = reinterpret_cast<Real*>(work);
  for (int t = 0; t < s.count; t += lanes) {
    const int count = std::min(lanes, s.count - t);
    const auto* const from = reinterpret_cast<const Real*>(in + Index{t} * s.in_distance);
    auto* const to = reinterpret_cast<Real*>(out + Index{t} * s.out_distance);
    auto* const filled = reinterpret_cast<Lanes<Real>*>(first);
    s.in_stride == 1 ? lanes_from_rows(from, 2 * Index{s.in_distance}, count, 2 * s.n, filled)
                     : lanes_from_columns(from, 2 * Index{s.in_stride}, count, s.n, filled);
    const auto* const result =
        reinterpret_cast<const Lanes<Real>*>(run_lanes(direction_, first, first + 2 * Index{s.n} * lanes));
    s.out_stride == 1 ? lanes_to_rows(result, 2 * s.n, count, to, 2 * Index{s.out_distance})
                      : lanes_to_columns(result, s.n, count, to, 2 * Index{s.out_stride});
  }
}

template class LaneFft<float>;
template class LaneFft<double>;

}  // namespace wavegrid
