// Square matrices of dense blocks, most of which are zero: overlaps of localised functions, for example.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <wavegrid/boxes/function_store.hpp>

namespace wavegrid {

/// Which blocks of a matrix may differ from zero. The same edges divide rows and columns. Known to all ranks.
struct BlockPattern {
  std::vector<Index> edges;                 ///< of each block row and block column
  std::vector<std::vector<Index>> columns;  ///< of each block row: the block columns that have a block, rising

  /// The pattern of a product.
  [[nodiscard]] BlockPattern times(const BlockPattern& other) const;
};

/// A matrix with its block rows distributed over the ranks, in order. Each block is column-major. All calls but those
/// that say otherwise are collective.
template <class T>
class BlockSparse {
 public:
  /// Rank r has the block rows from rows[r] to rows[r + 1]; the arguments are the same on all ranks. Throws bad_input
  /// on all ranks if they do not fit each other. All blocks are zero.
  BlockSparse(const Comm& comm, BlockPattern pattern, std::vector<Index> rows, const FunctionOptions& options = {});

  [[nodiscard]] const BlockPattern& pattern() const { return pattern_; }
  [[nodiscard]] Range my_rows() const { return store_.mine(); }
  /// A block of this rank; empty if the pattern has none there. Local.
  [[nodiscard]] std::span<const T> block(Index row, Index column) const;
  /// Calls fill(row, column, block) for each block of this rank.
  void set(const std::function<void(Index row, Index column, std::span<T> block)>& fill);
  [[nodiscard]] FunctionTraffic traffic() const { return store_.traffic(); }

  /// this = A B, without blocks that the pattern of this matrix does not have; rows of B that other ranks own are
  /// fetched while others are multiplied. The same bits for any number of ranks. All have the same rows and edges.
  void multiply(const BlockSparse& a, BlockSparse& b);

 private:
  /// Where a block begins in its block row; -1 if there is none.
  [[nodiscard]] Index offset(Index row, Index column) const;

  Comm comm_;
  BlockPattern pattern_;
  std::vector<std::vector<Index>> offsets_;  ///< of the blocks of each row
  FunctionStore<T> store_;
};

}  // namespace wavegrid
