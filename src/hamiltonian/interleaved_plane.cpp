#include <algorithm>
#include <type_traits>

#include <wavegrid/hamiltonian/interleaved_plane.hpp>

namespace wavegrid {

namespace {

#ifdef __GNUC__
/// out (4, 4) = the transpose of in (4, 4), numbers of 8 bytes. Compilers do not find this themselves, and element by
/// element it takes three to five times as long.
inline void transpose_four(const double* in, Index row_in, double* out, Index row_out) {
  typedef double Vector __attribute__((vector_size(32), aligned(8), may_alias));
  // by reference: to return a vector would depend on whether the compiler may use AVX
  const auto at = [&](Index i) -> const Vector& { return *reinterpret_cast<const Vector*>(in + i * row_in); };
  const Vector a = at(0), b = at(1), c = at(2), d = at(3);
  const Vector ab_even = __builtin_shufflevector(a, b, 0, 4, 2, 6), ab_odd = __builtin_shufflevector(a, b, 1, 5, 3, 7);
  const Vector cd_even = __builtin_shufflevector(c, d, 0, 4, 2, 6), cd_odd = __builtin_shufflevector(c, d, 1, 5, 3, 7);
  const auto to = [&](Index i) -> Vector& { return *reinterpret_cast<Vector*>(out + i * row_out); };
  to(0) = __builtin_shufflevector(ab_even, cd_even, 0, 1, 4, 5);
  to(1) = __builtin_shufflevector(ab_odd, cd_odd, 0, 1, 4, 5);
  to(2) = __builtin_shufflevector(ab_even, cd_even, 2, 3, 6, 7);
  to(3) = __builtin_shufflevector(ab_odd, cd_odd, 2, 3, 6, 7);
}
#endif

/// The number of points that are transposed in blocks: none where elements have 16 bytes or arrays are missing.
template <class Real>
Index points_in_blocks(const ArrayGroup<Real>& group, Index n) {
#ifdef __GNUC__
  if (std::is_same_v<Real, float> && group.count == arrays_per_group<Real>) return n / 4 * 4;
#endif
  return 0;
}

}  // namespace

template <class Real>
void interleave(const ArrayGroup<Real>& group, Index first, Index n, Real* points) {
  constexpr Index arrays = arrays_per_group<Real>;
  const std::complex<Real>* const from = group.values + first;
  auto* const to = reinterpret_cast<std::complex<Real>*>(points);
  const Index in_blocks = points_in_blocks(group, n);
#ifdef __GNUC__
  for (Index i = 0; i < in_blocks; i += 4)
    for (Index a = 0; a < arrays; a += 4)
      transpose_four(reinterpret_cast<const double*>(from + a * group.stride + i), group.stride,
                     reinterpret_cast<double*>(to + i * arrays + a), arrays);
#endif
  for (Index i = in_blocks; i < n; ++i) {
    for (Index a = 0; a < group.count; ++a) to[i * arrays + a] = from[a * group.stride + i];
    std::fill(to + i * arrays + group.count, to + (i + 1) * arrays, std::complex<Real>(0));
  }
}

template <class Real>
void separate(const Real* points, const ArrayGroup<Real>& group, Index first, Index n) {
  constexpr Index arrays = arrays_per_group<Real>;
  const auto* const from = reinterpret_cast<const std::complex<Real>*>(points);
  std::complex<Real>* const to = group.values + first;
  const Index in_blocks = points_in_blocks(group, n);
#ifdef __GNUC__
  for (Index i = 0; i < in_blocks; i += 4)
    for (Index a = 0; a < arrays; a += 4)
      transpose_four(reinterpret_cast<const double*>(from + i * arrays + a), arrays,
                     reinterpret_cast<double*>(to + a * group.stride + i), group.stride);
#endif
  for (Index a = 0; a < group.count; ++a)
    for (Index i = in_blocks; i < n; ++i) to[a * group.stride + i] = from[i * arrays + a];
}

#define WAVEGRID_INSTANTIATE(Real)                                              \
  template void interleave<Real>(const ArrayGroup<Real>&, Index, Index, Real*); \
  template void separate<Real>(const Real*, const ArrayGroup<Real>&, Index, Index);
WAVEGRID_INSTANTIATE(float)
WAVEGRID_INSTANTIATE(double)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
