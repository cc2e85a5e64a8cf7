#include "mesh/stencil_kernel.hpp"

#include "base/vector_kernels.hpp"

namespace wavegrid {

namespace {

/// What stays the same in a piece.
template <class Real>
struct Sum {
  WeightedPoints<Real> points;
  WeightedArms<Real> others, along;
  Real* out;
  bool whole;          ///< each vector lies within one point
  double inverse_row;  ///< 1 / row
};

/// The factor of the point that holds number i. A division of integers takes longer than the arms of a vector.
template <class Real>
WAVEGRID_INLINE Real factor_at(const Sum<Real>& sum, Index i) {
  if (sum.points.potential == nullptr) return sum.points.weight;
  return sum.points.weight + sum.points.potential[static_cast<Index>((static_cast<double>(i) + 0.5) * sum.inverse_row)];
}

/// The numbers at arm `a` of the number `first`.
template <class Real>
WAVEGRID_INLINE const Real* at_arm(const WeightedArms<Real>& arms, Index row, Index first, int a) {
  return arms.in + first + arms.offsets[arms.number[a]] * row;
}

/// Adds arms to the sums of `vectors` consecutive vectors of `bytes` each from number `first` on.
template <int bytes, int vectors, class Real, class Vector>
WAVEGRID_INLINE void add_kind(const WeightedArms<Real>& arms, Index row, Index first, Vector* even, Vector* odd) {
  for (int a = 0; a < arms.count; a += 2) {
    const Vector* const one = reinterpret_cast<const Vector*>(at_arm(arms, row, first, a));
    const Vector* const other = reinterpret_cast<const Vector*>(at_arm(arms, row, first, a + 1));
    const Real weight = arms.weight[a], other_weight = arms.weight[a + 1];
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v) {
      even[v] += weight * one[v];
      odd[v] += other_weight * other[v];
    }
  }
}

/// The sums stay in registers: one over the even arms and one over the odd ones, so that the processor waits less for
/// the result of an addition.
template <int bytes, int vectors, class Real>
WAVEGRID_INLINE void add_vectors(const Sum<Real>& sum, Index first) {
  typedef Real Vector __attribute__((vector_size(bytes), aligned(alignof(Real)), may_alias));
  constexpr Index lanes = bytes / sizeof(Real);
  Vector* const to = reinterpret_cast<Vector*>(sum.out + first);
  const Vector* const from = reinterpret_cast<const Vector*>(sum.points.in + first);
  Vector even[vectors], odd[vectors];
#pragma GCC unroll 8
  for (int v = 0; v < vectors; ++v) {
    even[v] = sum.whole ? factor_at(sum, first + v * lanes) * from[v] : to[v];
    odd[v] = Vector{};
  }
  add_kind<bytes, vectors>(sum.others, sum.points.row, first, even, odd);
  add_kind<bytes, vectors>(sum.along, sum.points.row, first, even, odd);
#pragma GCC unroll 8
  for (int v = 0; v < vectors; ++v) to[v] = even[v] + odd[v];
}

/// out = (weight + potential) in: what add_vectors() begins with where vectors hold parts of several points.
template <class Real>
WAVEGRID_INLINE void set_points(const Sum<Real>& sum, Index n) {
  const Index row = sum.points.row;
  for (Index begin = 0; begin < n; begin += row) {
    const Real factor = factor_at(sum, begin);
    for (Index i = begin; i < begin + row; ++i) sum.out[i] = factor * sum.points.in[i];
  }
}

template <int bytes, class Real>
WAVEGRID_INLINE void add_all(Sum<Real> sum, Index n) {
  constexpr Index lanes = bytes / sizeof(Real);
  sum.whole = sum.points.row % lanes == 0;
  if (!sum.whole) set_points(sum, n);
  constexpr int most = bytes / 8;  // vectors whose sums fit into the registers
  Index i = 0;
  for (; i + most * lanes <= n; i += most * lanes) add_vectors<bytes, most>(sum, i);
  if constexpr (most > 4)
    if (i + 4 * lanes <= n) add_vectors<bytes, 4>(sum, i), i += 4 * lanes;
  if (i + 2 * lanes <= n) add_vectors<bytes, 2>(sum, i), i += 2 * lanes;
  if (i + lanes <= n) add_vectors<bytes, 1>(sum, i), i += lanes;
  if constexpr (bytes == 64)
    if (i + lanes / 2 <= n) add_vectors<32, 1>(sum, i), i += lanes / 2;
  for (; i < n; ++i) {
    Real even = sum.out[i], odd = 0;
    for (const WeightedArms<Real>* arms : {&sum.others, &sum.along})
      for (int a = 0; a < arms->count; a += 2) {
        even += arms->weight[a] * *at_arm(*arms, sum.points.row, i, a);
        odd += arms->weight[a + 1] * *at_arm(*arms, sum.points.row, i, a + 1);
      }
    sum.out[i] = even + odd;
  }
}

template <class Real>
WAVEGRID_WIDE void add_wide(const Sum<Real>& sum, Index n) {
  add_all<64>(sum, n);
}

}  // namespace

template <class Real>
void weighted_sums(const WeightedPoints<Real>& points, const WeightedArms<Real>& others,
                   const WeightedArms<Real>& along, Real* out, Index n) {
  const Sum<Real> sum{points, others, along, out, false, 1.0 / static_cast<double>(points.row)};
  if (has_wide_vectors()) return add_wide(sum, n);
  add_all<32>(sum, n);
}

#define WAVEGRID_INSTANTIATE(Real)                                                                                     \
  template void weighted_sums<Real>(const WeightedPoints<Real>&, const WeightedArms<Real>&, const WeightedArms<Real>&, \
                                    Real*, Index);
WAVEGRID_INSTANTIATE(float)
WAVEGRID_INSTANTIATE(double)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
