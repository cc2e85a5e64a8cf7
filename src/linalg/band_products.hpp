// The two products of blocks of bands: by BLAS, or by loops of our own for few complex bands. BLAS copies both factors
// first, which for 4 to 40 complex bands takes as long as the product, and computes both halves of Hermitian matrices.
#pragma once

#include <wavegrid/base/index.hpp>
#include <wavegrid/linalg/scalar.hpp>

namespace wavegrid {

enum class Triangle { both, upper };

/// c(i, j) = factor sum_r conj(a(r, i)) b(r, j), (m, n); with Triangle::upper elements below the diagonal are
/// undefined. Columns are lda, ldb, ldc elements apart. The bits depend on m, n and the rows, not on where they are.
template <class S>
void inner_products(Index m, Index n, Index rows, RealOf<S> factor, const S* a, Index lda, const S* b, Index ldb, S* c,
                    Index ldc, Triangle triangle = Triangle::both);

/// out(r, j) = sum_i in(r, i) c(i, j), (rows, n), added to what `out` is with `add`; k bands are combined.
template <class S>
void combine_columns(Index rows, Index n, Index k, const S* in, Index ld_in, const S* c, Index ldc, bool add, S* out,
                     Index ld_out);

}  // namespace wavegrid
