// The BLAS and LAPACK routines in use, overloaded on the scalar type. Matrices are column-major.
#pragma once

#include <complex>
#include <vector>

#include <wavegrid/base/index.hpp>

namespace wavegrid::lapack {

/// C = alpha op(A) op(B) + beta C with C (m, n), inner length k; op is 'N', 'T' or 'C'. The only routine in single
/// precision: problems of small matrices are always solved in double precision.
template <class S>
void gemm(char op_a, char op_b, Index m, Index n, Index k, S alpha, const S* a, Index lda, const S* b, Index ldb,
          S beta, S* c, Index ldc);

/// Upper Cholesky factor in place; false where the matrix is not positive definite.
template <class S>
[[nodiscard]] bool cholesky(Index n, S* a, Index lda);

/// The same with pivots: the largest remaining one first, until none exceeds `least`. Returns the number of columns
/// that have been factored, and in `order` those columns (first) and the others.
template <class S>
[[nodiscard]] Index pivoted_cholesky(Index n, S* a, Index lda, double least, std::vector<Index>& order);

/// A = U^-H A U^-1 (upper triangle read and written), and then X = U^-1 X for the vectors.
template <class S>
void reduce_to_standard(Index n, S* a, Index lda, const S* u, Index ldu);
template <class S>
void solve_upper_left(Index n, Index columns, const S* u, Index ldu, S* x, Index ldx);

/// The lowest `count` eigenpairs of a Hermitian matrix (upper triangle read, destroyed), values ascending.
/// Vectors (n, count). Throws an internal error where LAPACK does not converge.
template <class S>
void eigen(Index n, S* a, Index lda, Index count, double* values, S* vectors, Index ldv);

/// Memory that eigen() takes for matrices of its own, bytes.
[[nodiscard]] double eigen_bytes(Index n);

/// All eigenpairs of a small symmetric matrix (upper triangle read), values ascending; the vectors replace it. Throws
/// an internal error where LAPACK does not converge.
void eigen_in_place(Index n, double* a, Index lda, double* values);

}  // namespace wavegrid::lapack
