// Density matrices of systems with a gap by polynomials of block-sparse matrices: no eigenvalues are computed.
//
//   X_0 = (e_max - H)/(e_max - e_min),   X_(n+1) = F(X) + g G(X),   F = X^2 (4 X - 3 X^2),   G = X^2 (1 - X)^2
//
// with g = (N - Tr F)/Tr G, so that the trace stays the number N of occupied states (TRS4). Where g is outside of 0 to
// 6 the polynomial would not be monotonic, and X^2 or 2 X - X^2 is taken. A. M. N. Niklasson, C. J. Tymczak and M.
// Challacombe, J. Chem. Phys. 118, 8611 (2003), 10.1063/1.1559913.
//
// Levels next to the gap follow from the norm of X - X^2 in each step, through the inverse of the polynomials before.
// E. H. Rubensson and A. M. N. Niklasson, SIAM J. Sci. Comput. 36, B147 (2014), 10.1137/130911585.
#pragma once

#include <wavegrid/boxes/block_sparse.hpp>

namespace wavegrid {

/// S^-1/2 of a positive matrix.
template <class T>
struct InverseRoot {
  BlockSparse<T> z;
  bool converged = false;  ///< false: the matrix is not positive, or its smallest eigenvalue is too small
  Index iterations = 0;
  Index products = 0;  ///< of two blocks on this rank
};

/// By Newton's iteration with products whose blocks of at most `cutoff` are left out: Y = Y T, Z = T Z, T = (3 - Z Y)/2
/// from Y = S/s and Z = 1. G. Schulz, Z. Angew. Math. Mech. 13, 57 (1933), 10.1002/zamm.19330130111; N. J. Higham,
/// Numer. Algorithms 15, 227 (1997), 10.1023/A:1019150005407. Collective.
template <class T>
[[nodiscard]] InverseRoot<T> inverse_square_root(const BlockSparse<T>& s, double cutoff);

/// The projector onto the lowest states of a Hermitian matrix.
template <class T>
struct Purified {
  BlockSparse<T> p;
  bool converged = false;  ///< false: no gap was found
  Index iterations = 0;
  Index products = 0;                             ///< of two blocks on this rank
  double idempotency = 0;                         ///< Frobenius norm of P^2 - P
  double highest_occupied = 0, lowest_empty = 0;  ///< bounds of these levels, from outside the gap; 0: none found
};

/// The lowest `states` states of `h`, in orthonormal functions. Products without blocks of at most `cutoff`. The same
/// bits for any number of ranks. Collective.
template <class T>
[[nodiscard]] Purified<T> purify(const BlockSparse<T>& h, Index states, double cutoff);

}  // namespace wavegrid
