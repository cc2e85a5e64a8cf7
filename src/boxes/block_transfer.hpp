// Blocks of distributed matrices that other ranks need.
#pragma once

#include <vector>

#include <wavegrid/boxes/block_sparse.hpp>

namespace wavegrid {

/// Whether so many block rows are so few that each rank should have all of them: waiting for others would take longer
/// than what they compute. Pure.
[[nodiscard]] inline bool has_few_rows(Index rows, int ranks) {
  constexpr Index least = 8;  // of a rank
  return rows < least * ranks;
}

/// All rows on each rank, each for itself. Collective over the ranks of `a`.
template <class T>
[[nodiscard]] BlockSparse<T> on_every_rank(const BlockSparse<T>& a);

/// The rows of this rank of a matrix that every rank has whole. `rows`: as BlockSparse takes them. Collective over
/// `comm`.
template <class T>
[[nodiscard]] BlockSparse<T> distributed(const BlockSparse<T>& whole, const Comm& comm, const std::vector<Index>& rows);

/// A^H. Collective.
template <class T>
[[nodiscard]] BlockSparse<T> adjoint(const BlockSparse<T>& a);

/// (A + A^H)/2. Collective.
template <class T>
[[nodiscard]] BlockSparse<T> hermitian_part(const BlockSparse<T>& a);

/// A Hermitian matrix of which `half` has one block of each pair of a row and a column, and those on the diagonal.
/// Collective.
template <class T>
[[nodiscard]] BlockSparse<T> completed(BlockSparse<T> half);

}  // namespace wavegrid
