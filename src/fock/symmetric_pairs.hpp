// Exact exchange between real bands at the points of a box where both bands of each pair want it: one transform serves
//
//   w_n(r) -= o_m u_m(r) V_nm(r)   and   w_m(r) -= o_n u_n(r) V_nm(r),   V_nm = V_mn the potential of u_n u_m
//
// and, as V_nm is real, two of the m.
#pragma once

#include <wavegrid/fock/pair_fft.hpp>

namespace wavegrid {

/// Real bands, (bands, points), in double precision.
struct SymmetricBands {
  const double* u;
  const double* o;  ///< of each band
  double* w;        ///< what is added to
  Index count;
};

/// For all pairs of a band of `a` and one of `b`, which have no band in common. `kernel`: v(G) / (N Omega) at the
/// frequencies of the box. Products and transforms are in the precision Real. `threads` share the pairs. Local.
template <class Real>
void add_symmetric_exchange(const PairFft<Real>& fft, const Real* kernel, const SymmetricBands& a,
                            const SymmetricBands& b, int threads);
/// The same for all pairs within `a`, a band with itself included.
template <class Real>
void add_symmetric_exchange(const PairFft<Real>& fft, const Real* kernel, const SymmetricBands& a, int threads);

}  // namespace wavegrid
