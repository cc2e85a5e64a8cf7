// sum += weight x of numbers and vectors, for one kind of processor: see base/processors.hpp. No include guard.

/// sum += weight x for a vector of `bytes`, or a number, rounded once where the processor has fused operations: there,
/// numbers and vectors of any width give the same bits.
template <class Real, int bytes>
WAVEGRID_INLINE void add_product(typename VectorOf<Real, bytes>::type& sum, Real weight,
                                 const typename VectorOf<Real, bytes>::type& x) {
  using Vector = typename VectorOf<Real, bytes>::type;
  constexpr bool is_double = sizeof(Real) == sizeof(double);
  if constexpr (!has_fused)
    sum += weight * x;
  else if constexpr (bytes == sizeof(Real))
    sum = is_double ? __builtin_fma(weight, x, sum) : __builtin_fmaf(weight, x, sum);
  else if constexpr (bytes == 32 && is_double)
    sum = (Vector)_mm256_fmadd_pd(_mm256_set1_pd(weight), (__m256d)x, (__m256d)sum);
  else if constexpr (bytes == 32)
    sum = (Vector)_mm256_fmadd_ps(_mm256_set1_ps(weight), (__m256)x, (__m256)sum);
  else if constexpr (is_double)
    sum = (Vector)_mm512_fmadd_pd(_mm512_set1_pd(weight), (__m512d)x, (__m512d)sum);
  else
    sum = (Vector)_mm512_fmadd_ps(_mm512_set1_ps(weight), (__m512)x, (__m512)sum);
}
