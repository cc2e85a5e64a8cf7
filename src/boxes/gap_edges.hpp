// The levels on both sides of a gap, from the density matrix of the states below it: no other levels are computed.
//
//   A v = P (S^-1 H - shift) P v,   P = K S for occupied states, 1 - K S for empty ones
//
// A is Hermitian in the inner product with S, and its largest eigenvalue, relative to a shift below all levels (empty
// states: the smallest one, above them), belongs to the edge. C. Lanczos, J. Res. Natl. Bur. Stand. 45, 255 (1950),
// 10.6028/jres.045.026; vectors are orthogonalised to all earlier ones. Work grows as the number of blocks.
#pragma once

#include <wavegrid/boxes/block_sparse.hpp>

namespace wavegrid {

struct GapEdges {
  double highest_occupied = 0, lowest_empty = 0;  ///< Ha; infinite where there is no such state
};

/// `k`: sum of C C^H over the occupied states of H C = S C E, C^H S C = 1; `z`: S^-1/2. All may lack small blocks,
/// whose error enters squared. The same bits for any number of ranks. Collective.
template <class T>
[[nodiscard]] GapEdges gap_edges(const BlockSparse<T>& h, const BlockSparse<T>& s, const BlockSparse<T>& k,
                                 const BlockSparse<T>& z);

/// A x of a vector that all ranks have, on all ranks. Collective.
template <class T>
[[nodiscard]] AlignedVector<T> product(const BlockSparse<T>& a, std::span<const T> x);

}  // namespace wavegrid
