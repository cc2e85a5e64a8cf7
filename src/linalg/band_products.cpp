#include <omp.h>

#include <algorithm>
#include <array>
#include <complex>
#include <cstring>
#include <utility>

#include <wavegrid/base/processors.hpp>
#include <wavegrid/linalg/band_products.hpp>
#include <wavegrid/linalg/lapack.hpp>

// Functions that return vectors wider than those of the compiler's target are all inlined: no call has their ABI.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace wavegrid {

namespace band_loops {

template <class Real>
struct InnerFactors {
  const Real* a;
  Index lda, m;
  const Real* b;
  Index ldb, n;
  Real factor;
  bool upper;
};

template <class Real>
struct CombinationFactors {
  const Real* in;
  Index ld_in, k;
  const Real* c;
  Index ldc;  ///< in elements
  Real* out;
  Index ld_out, n, rows;
  bool add;
};

#define WAVEGRID_LOOPS <wavegrid/linalg/band_loops.inc>
#include <wavegrid/base/each_processor.inc>

}  // namespace band_loops

namespace {

constexpr Index few_pairs = Index{48} * 48;       ///< of bands; from about here on BLAS is as fast
constexpr Index cached_numbers = Index{1} << 16;  ///< of both factors, for which they stay in the second-level cache
constexpr Index vector_numbers = 16;              ///< at most

template <class Real>
const Real* numbers(const std::complex<Real>* values) {
  return reinterpret_cast<const Real*>(values);
}

/// Whether our own loops are used. BLAS divides its products among threads, and has loops of its own for few real
/// bands.
template <class S>
bool uses_loops(Index m, Index n, Index rows) {
  return !ScalarTraits<S>::is_real && m * n <= few_pairs && 2 * rows >= vector_numbers &&
         processor() != Processor::plain && omp_get_max_threads() == 1;
}

}  // namespace

template <class S>
void inner_products(Index m, Index n, Index rows, RealOf<S> factor, const S* a, Index lda, const S* b, Index ldb, S* c,
                    Index ldc, Triangle triangle) {
  if (m == 0 || n == 0) return;
  if (!uses_loops<S>(m, n, rows)) return lapack::gemm<S>('C', 'N', m, n, rows, S(factor), a, lda, b, ldb, S(0), c, ldc);
  if constexpr (!ScalarTraits<S>::is_real) {
    using Real = RealOf<S>;
    const band_loops::InnerFactors<Real> factors{numbers(a), 2 * lda, m,      numbers(b),
                                                 2 * ldb,    n,       factor, triangle == Triangle::upper};
    for (Index j = 0; j < n; ++j) std::fill_n(c + j * ldc, m, S(0));
    const Index block = std::max(cached_numbers / (m + n) / vector_numbers * vector_numbers, vector_numbers);
    for (Index first = 0; first < 2 * rows; first += block) {
      const Range some{first, std::min(first + block, 2 * rows)};
      WAVEGRID_CALL(band_loops, all_inner_products<Real>(factors, some, c, ldc));
    }
  }
}

template <class S>
void combine_columns(Index rows, Index n, Index k, const S* in, Index ld_in, const S* c, Index ldc, bool add, S* out,
                     Index ld_out) {
  if (!uses_loops<S>(k, n, rows))
    return lapack::gemm<S>('N', 'N', rows, n, k, S(1), in, ld_in, c, ldc, S(add ? 1 : 0), out, ld_out);
  if constexpr (!ScalarTraits<S>::is_real) {
    using Real = RealOf<S>;
    const band_loops::CombinationFactors<Real> factors{
        numbers(in), 2 * ld_in, k, numbers(c), ldc, reinterpret_cast<Real*>(out), 2 * ld_out, n, 2 * rows, add};
    WAVEGRID_CALL(band_loops, combine_all<Real>(factors));
  }
}

#define WAVEGRID_INSTANTIATE(S)                                                                                \
  template void inner_products<S>(Index, Index, Index, RealOf<S>, const S*, Index, const S*, Index, S*, Index, \
                                  Triangle);                                                                   \
  template void combine_columns<S>(Index, Index, Index, const S*, Index, const S*, Index, bool, S*, Index);
WAVEGRID_FOR_ALL_SCALARS(WAVEGRID_INSTANTIATE)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
