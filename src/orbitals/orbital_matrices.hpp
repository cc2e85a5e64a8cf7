// Block-sparse matrices of local orbitals: a block for two atoms, the block rows of a rank's atoms on that rank.
#pragma once

#include <vector>

#include <wavegrid/boxes/block_transfer.hpp>
#include <wavegrid/linalg/bands.hpp>
#include <wavegrid/orbitals/orbital_layout.hpp>

namespace wavegrid {

/// The first block row of each rank, and their number. Pure.
[[nodiscard]] std::vector<Index> block_rows(const OrbitalLayout& layout, int ranks);

/// Blocks of atoms whose boxes have common points. Pure.
[[nodiscard]] BlockPattern pairs_with_points(const OrbitalLayout& layout);
/// All blocks. Pure.
[[nodiscard]] BlockPattern all_pairs(const OrbitalLayout& layout);

/// All of a matrix, on all ranks: for what needs vectors. Collective.
template <class S>
[[nodiscard]] Matrix<S> whole_matrix(const BlockSparse<S>& blocks);

/// The blocks of a matrix that all ranks have. Collective.
template <class S>
[[nodiscard]] BlockSparse<S> blocks_of(const Comm& comm, const OrbitalLayout& layout, BlockPattern pattern,
                                       const Matrix<S>& whole);

/// The blocks of sum_n w_n C_in conj(C_jn), over the columns of C (functions, states) with weights. Collective.
template <class S>
[[nodiscard]] BlockSparse<S> weighted_blocks(const Comm& comm, const OrbitalLayout& layout, BlockPattern pattern,
                                             const Matrix<S>& c, std::span<const double> weights);

}  // namespace wavegrid
