#include "mesh/stencil_kernel.hpp"

#include "base/vector_kernels.hpp"

namespace wavegrid {

namespace {

/// What stays the same in a segment.
template <class Real>
struct Sum {
  WeightedArms<Real> arms;
  const std::int32_t* offsets;
  Index row;
  const Real* in;
  Real* out;
};

/// The numbers at arm `a` of the number `first`, and the weight of the arm.
template <class Real>
WAVEGRID_INLINE const Real* at_arm(const Sum<Real>& sum, Index first, int a) {
  return sum.in + first + sum.offsets[sum.arms.number[a]] * sum.row;
}

/// `vectors` consecutive vectors of `bytes` each from number `first` on. Their sums stay in registers: one over the
/// even arms and one over the odd ones, so that the processor waits less for the result of an addition.
template <int bytes, int vectors, class Real>
WAVEGRID_INLINE void add_vectors(const Sum<Real>& sum, Index first) {
  typedef Real Vector __attribute__((vector_size(bytes), aligned(alignof(Real)), may_alias));
  Vector* const to = reinterpret_cast<Vector*>(sum.out + first);
  Vector even[vectors], odd[vectors];
#pragma GCC unroll 8
  for (int v = 0; v < vectors; ++v) even[v] = to[v], odd[v] = Vector{};
  for (int a = 0; a < sum.arms.count; a += 2) {
    const Vector* const one = reinterpret_cast<const Vector*>(at_arm(sum, first, a));
    const Vector* const other = reinterpret_cast<const Vector*>(at_arm(sum, first, a + 1));
    const Real weight = sum.arms.weight[a], other_weight = sum.arms.weight[a + 1];
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v) {
      even[v] += weight * one[v];
      odd[v] += other_weight * other[v];
    }
  }
#pragma GCC unroll 8
  for (int v = 0; v < vectors; ++v) to[v] = even[v] + odd[v];
}

template <int bytes, class Real>
WAVEGRID_INLINE void add_all(const Sum<Real>& sum, Index n) {
  constexpr Index lanes = bytes / sizeof(Real);
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
    for (int a = 0; a < sum.arms.count; a += 2) {
      even += sum.arms.weight[a] * *at_arm(sum, i, a);
      odd += sum.arms.weight[a + 1] * *at_arm(sum, i, a + 1);
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
void add_arms(const WeightedArms<Real>& arms, const std::int32_t* offsets, Index row, const Real* in, Real* out,
              Index n) {
  const Sum<Real> sum{arms, offsets, row, in, out};
  if (has_wide_vectors()) return add_wide(sum, n);
  add_all<32>(sum, n);
}

template void add_arms<float>(const WeightedArms<float>&, const std::int32_t*, Index, const float*, float*, Index);
template void add_arms<double>(const WeightedArms<double>&, const std::int32_t*, Index, const double*, double*, Index);

}  // namespace wavegrid
