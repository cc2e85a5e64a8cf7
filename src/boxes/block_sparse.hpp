// Square matrices of dense blocks, most of which are zero: overlaps of localised functions, for example.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include <wavegrid/base/aligned.hpp>
#include <wavegrid/boxes/function_store.hpp>

namespace wavegrid {

/// Which blocks of a matrix may differ from zero. The same edges divide rows and columns. Known to all ranks.
struct BlockPattern {
  std::vector<Index> edges;                 ///< of each block row and block column
  std::vector<std::vector<Index>> columns;  ///< of each block row: the block columns that have a block, rising

  /// The pattern of a product.
  [[nodiscard]] BlockPattern times(const BlockPattern& other) const;
  /// That of a sum.
  [[nodiscard]] BlockPattern united(const BlockPattern& other) const;
  [[nodiscard]] Index num_blocks() const;
};

/// A matrix with its block rows distributed over the ranks, in order. Each block is column-major. All calls but those
/// that say otherwise are collective, and give the same bits for any number of ranks. Matrices that are combined have
/// the same edges and rows of the ranks. T is float, double or a complex of these.
template <class T>
class BlockSparse {
 public:
  using Fill = std::function<void(Index row, Index column, std::span<T> block)>;

  /// Rank r has the block rows from rows[r] to rows[r + 1]; the arguments are the same on all ranks. Throws bad_input
  /// on all ranks if they do not fit each other. All blocks are zero. `options`: how products get rows of this matrix.
  BlockSparse(const Comm& comm, BlockPattern pattern, std::vector<Index> rows, const FunctionOptions& options = {});

  [[nodiscard]] const Comm& comm() const { return comm_; }
  [[nodiscard]] const BlockPattern& pattern() const { return *pattern_; }
  [[nodiscard]] const std::vector<Index>& rows() const { return rows_; }
  [[nodiscard]] const FunctionOptions& options() const { return options_; }
  [[nodiscard]] Range my_rows() const;  ///< Local.
  /// A block of this rank; empty if the pattern has none there. Local.
  [[nodiscard]] std::span<const T> block(Index row, Index column) const;
  [[nodiscard]] std::span<T> block(Index row, Index column);
  /// Calls fill(row, column, block) for each block of this rank. Local.
  void set(const Fill& fill);

  /// this = A B, without blocks that the pattern of this matrix does not have; rows of B that other ranks own are
  /// fetched while others are multiplied. Returns the products of two blocks on this rank. Throws bad_input on all
  /// ranks if edges or rows differ.
  Index multiply(const BlockSparse& a, const BlockSparse& b);
  /// this = this + factor * other, with the blocks of both. Local.
  void add(T factor, const BlockSparse& other);
  void scale(T factor);  ///< Local.
  /// Adds factor * 1. Local.
  void add_identity(T factor);
  /// Leaves out the blocks off the diagonal whose Frobenius norm is at most `cutoff`.
  void filter(double cutoff);

 private:
  /// Where a block begins in its block row; -1 if there is none.
  [[nodiscard]] Index offset(Index row, Index column) const;
  [[nodiscard]] Index edge(Index i) const { return pattern_->edges[static_cast<std::size_t>(i)]; }
  [[nodiscard]] const std::vector<Index>& columns(Index row) const {
    return pattern_->columns[static_cast<std::size_t>(row)];
  }
  /// The values of a block row of this rank.
  [[nodiscard]] AlignedVector<T>& row_values(Index row) { return values_[static_cast<std::size_t>(row - first_)]; }
  [[nodiscard]] const AlignedVector<T>& row_values(Index row) const {
    return values_[static_cast<std::size_t>(row - first_)];
  }
  /// Of each column the block rows of this rank that have a block there, rising.
  [[nodiscard]] std::vector<std::vector<Index>> my_rows_by_column() const;
  /// Another pattern, with the blocks that both have.
  void change_pattern(BlockPattern pattern);
  void set_offsets();

  Comm comm_;
  std::shared_ptr<const BlockPattern> pattern_;
  std::vector<Index> rows_;
  FunctionOptions options_;
  Index first_ = 0;                                                 ///< block row of this rank
  std::shared_ptr<const std::vector<std::vector<Index>>> offsets_;  ///< of the blocks of each row
  std::vector<AlignedVector<T>> values_;                            ///< of each block row of this rank
};

/// A B without blocks off the diagonal of a norm of at most `cutoff`; adds the products of two blocks on this rank to
/// `count`. Collective.
template <class T>
[[nodiscard]] BlockSparse<T> filtered_product(const BlockSparse<T>& a, const BlockSparse<T>& b, double cutoff,
                                              Index& count);

/// Re Tr A. Collective.
template <class T>
[[nodiscard]] double block_trace(const BlockSparse<T>& a);
/// Re sum_ij conj(A_ij) B_ij: of Hermitian matrices Tr A B. Collective.
template <class T>
[[nodiscard]] double trace_product(const BlockSparse<T>& a, const BlockSparse<T>& b);

/// Bounds of the eigenvalues of a Hermitian matrix, by Gershgorin's circles. Collective.
struct SpectralBounds {
  double lowest = 0, highest = 0;
};
template <class T>
[[nodiscard]] SpectralBounds gershgorin(const BlockSparse<T>& a);

}  // namespace wavegrid
