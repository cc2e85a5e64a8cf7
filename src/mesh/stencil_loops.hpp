// The inner loop of finite differences for one kind of processor: see base/processors.hpp. No include guard.

/// The factor of the point that holds number i. A division of integers takes longer than the arms of a vector.
template <class Real>
WAVEGRID_INLINE Real factor_at(const StencilSum<Real>& sum, Index i) {
  const WeightedPoints<Real>& points = sum.points;
  if (points.potential == nullptr) return points.weight;
  return points.weight +
         points.factor * points.potential[static_cast<Index>((static_cast<double>(i) + 0.5) * sum.inverse_row)];
}

/// Adds the arms to `vectors` consecutive vectors of `bytes` each from number `first` on. The sums stay in registers:
/// one over the even arms and one over the odd ones, so that the processor waits less for the result of an addition.
template <int bytes, int vectors, class Real>
WAVEGRID_INLINE void add_vectors(const StencilSum<Real>& sum, Index first) {
  using Vector = typename VectorOf<Real, bytes>::type;
  constexpr Index lanes = bytes / sizeof(Real);
  Vector* const to = reinterpret_cast<Vector*>(sum.out + first);
  const Vector* const from = reinterpret_cast<const Vector*>(sum.points.in + first);
  Vector even[vectors], odd[vectors];
#pragma GCC unroll 16
  for (int v = 0; v < vectors; ++v) {
    if (sum.whole) {
      even[v] = factor_at(sum, first + v * lanes) * from[v];
      if (sum.points.kept != 0) even[v] += sum.points.kept * to[v];
    } else {
      even[v] = to[v];
    }
    odd[v] = Vector{};
  }
  for (int a = 0; a < sum.count; a += 2) {
    const Vector* const one = reinterpret_cast<const Vector*>(sum.arm[a] + first);
    const Vector* const other = reinterpret_cast<const Vector*>(sum.arm[a + 1] + first);
    const Real weight = sum.weights[a], other_weight = sum.weights[a + 1];
#pragma GCC unroll 16
    for (int v = 0; v < vectors; ++v) {
      add_product<Real, bytes>(even[v], weight, one[v]);
      add_product<Real, bytes>(odd[v], other_weight, other[v]);
    }
  }
#pragma GCC unroll 16
  for (int v = 0; v < vectors; ++v) to[v] = even[v] + odd[v];
}

/// What add_vectors() begins with where vectors hold parts of several points.
template <class Real>
void set_points(const StencilSum<Real>& sum, Index n) {
  const WeightedPoints<Real>& points = sum.points;
  for (Index begin = 0; begin < n; begin += points.row) {
    const Real factor = factor_at(sum, begin);
    for (Index i = begin; i < begin + points.row; ++i) {
      const Real product = factor * points.in[i];
      sum.out[i] = points.kept == 0 ? product : product + points.kept * sum.out[i];
    }
  }
}

template <class Real>
void add_all(StencilSum<Real> sum, Index n) {
  constexpr Index lanes = vector_bytes / sizeof(Real);
  sum.whole = sum.points.row % lanes == 0;
  if (!sum.whole) set_points(sum, n);
  constexpr int most = vector_bytes == 64 ? 12 : 4;  // vectors whose sums fit into the registers
  Index i = 0;
  for (; i + most * lanes <= n; i += most * lanes) add_vectors<vector_bytes, most>(sum, i);
  if constexpr (most > 4)
    for (; i + 4 * lanes <= n; i += 4 * lanes) add_vectors<vector_bytes, 4>(sum, i);
  if (i + 2 * lanes <= n) add_vectors<vector_bytes, 2>(sum, i), i += 2 * lanes;
  if (i + lanes <= n) add_vectors<vector_bytes, 1>(sum, i), i += lanes;
  if constexpr (vector_bytes == 64)
    if (i + lanes / 2 <= n) add_vectors<32, 1>(sum, i), i += lanes / 2;
  for (; i < n; ++i) add_vectors<sizeof(Real), 1>(sum, i);
}
