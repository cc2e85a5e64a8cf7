// Block-sparse matrices of local orbitals: a block for two atoms, the block rows of a rank's atoms on that rank.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include <wavegrid/boxes/block_transfer.hpp>
#include <wavegrid/linalg/bands.hpp>
#include <wavegrid/orbitals/orbital_layout.hpp>

namespace wavegrid {

/// The first block row of each rank, and their number. Pure.
[[nodiscard]] std::vector<Index> block_rows(const OrbitalLayout& layout, int ranks);

/// Blocks of atoms whose boxes have common points. Pure.
[[nodiscard]] BlockPattern pairs_with_points(const OrbitalLayout& layout);

/// All of a matrix, on all ranks: for what needs vectors. Collective.
template <class S>
[[nodiscard]] Matrix<S> whole_matrix(const BlockSparse<S>& blocks);

/// Functions whose columns of a matrix blocks_by_columns() asks for at a time, about.
inline constexpr Index most_functions_at_once = 512;
/// Computes the columns of some functions, with the rows of all or, the others 0, of this rank's. Collective.
template <class S>
using MatrixColumns = std::function<Matrix<S>(Range functions)>;
/// A matrix that no rank has whole, without blocks off the diagonal of a Frobenius norm of at most `least`. Collective.
template <class S>
[[nodiscard]] BlockSparse<S> blocks_by_columns(const Comm& comm, const OrbitalLayout& layout, double least,
                                               const MatrixColumns<S>& columns);

/// The blocks of sum_n w_n C_in conj(C_jn), over the columns of C (functions, states) with weights. Collective.
template <class S>
[[nodiscard]] BlockSparse<S> weighted_blocks(const Comm& comm, const OrbitalLayout& layout, BlockPattern pattern,
                                             const Matrix<S>& c, std::span<const double> weights);

}  // namespace wavegrid
