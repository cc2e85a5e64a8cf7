// Exact exchange between bands at the points of a box, on one rank.
//
//   w_n(r) -= sum_m o_m u_m(r) sum_G v(G) P_mn(G) exp(iG.r),   P_mn(G) = 1/(N Omega) sum_r conj(u_m) u_n exp(-iG.r)
//
// With real bands one transform serves two of the u_m: P and v are those of u_m + i u_m'. Spinors have both components
// at all points, one after the other, and P is the sum over these.
#pragma once

#include <span>
#include <vector>

#include <wavegrid/fock/pair_fft.hpp>
#include <wavegrid/linalg/scalar.hpp>

namespace wavegrid {

/// Bands m at points, scaled by sqrt |o_m|, in the precision of S; pairs of real ones as complex numbers.
template <class S>
class ExchangeSources {
 public:
  using Complex = ComplexOf<S>;

  /// values (bands, points), o (bands).
  ExchangeSources(const DoubleOf<S>* values, std::span<const double> o, Index points);

  [[nodiscard]] Index count() const { return static_cast<Index>(signs_.size()); }
  [[nodiscard]] const Complex* values(Index i) const { return values_.data() + i * points_; }
  /// Of the o.
  [[nodiscard]] double sign(Index i) const { return signs_[static_cast<std::size_t>(i)]; }
  /// Bytes of so many bands. Pure.
  [[nodiscard]] static double bytes(Index bands, Index points) {
    return static_cast<double>(bands) * static_cast<double>(points) * sizeof(S);
  }

 private:
  void append(const DoubleOf<S>* a, double scale_a, const DoubleOf<S>* b, double scale_b, double sign);

  Index points_;
  AlignedVector<Complex> values_;
  std::vector<double> signs_;
};

/// Bands n, (bands, points), in double precision.
template <class S>
struct ExchangeTargets {
  const S* values;
  Index count;
  S* w;                ///< what is added to
  int components = 1;  ///< of a band, as those of the sources
  /// f_n, for `spectrum`: sum_nm f_n o_m |N Omega P_mn(G)|^2 is added, for the G of the box and whichever of G and -G
  /// for real bands; null: not wanted. In double precision only.
  const double* occupations = nullptr;
  double* spectrum = nullptr;
};

/// `kernel`: v(G) / (N Omega) at the frequencies of the box. `threads` share the bands n. Local.
template <class S, class Real>
void add_pair_exchange(const PairFft<Real>& fft, const Real* kernel, const ExchangeSources<ScalarOf<S, Real>>& sources,
                       const ExchangeTargets<S>& targets, int threads);

}  // namespace wavegrid
