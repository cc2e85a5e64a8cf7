// The weighted inner product of bands whose rows are distributed over ranks.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <wavegrid/mpi/ordered_sum.hpp>

namespace wavegrid {

/// Blocks of rows that do not depend on the number of ranks, and the sum over them. Bands of several components, one
/// after the other, have each of these blocks in every component.
struct RowBlocks {
  OrderedSum sum;
  std::vector<Index> begins;  ///< first row of each of this rank's blocks, and the end, in one component

  [[nodiscard]] Range block_rows(Index part) const {
    const auto mine = static_cast<std::size_t>(part - sum.mine().begin);
    return {begins[mine], begins[mine + 1]};
  }
  /// Calls action(rows) for a block in each component of bands with `rows` rows.
  template <class Action>
  void for_components(Index part, Index rows, Action action) const {
    const Range first = block_rows(part);
    action(first);
    for (Index base = begins.back(); base > 0 && base < rows; base += begins.back())
      action(Range{first.begin + base, first.end + base});
  }
};

/// <a|b> = weight sum_i conj(a_i) b_i over the rows of all ranks, one row of which may count once only.
///
/// Weight 1: complex plane waves, vectors of numbers. Weight 2 with the row of G = 0 counted once: real rows of the
/// half sphere at Gamma, where every G stands for -G too (docs/conventions.md). The volume of a point: meshes.
struct InnerProduct {
  Comm comm;
  double weight = 1;
  Index single_row = -1;  ///< the row of weight 1, on the rank that has it; -1 elsewhere, and if there is none
  /// Blocks of rows that do not depend on the number of ranks, so that results do not depend on it bit for bit. None:
  /// this rank's rows are one block, and MPI adds the sums of the ranks.
  std::shared_ptr<const RowBlocks> blocks = nullptr;

  /// The sum over all rows of all ranks: fill(rows, values) sets the values of one block of my rows. Collective.
  template <class T, class Fill>
  void sum(Index rows, std::span<T> values, Fill fill) const {
    if (blocks) return sum_blocks(rows, values, fill);
    fill(Range{0, rows}, values);
    comm.sum(values);
  }
  /// Calls action(rows) over pieces of my rows, of at most `most` rows, that do not cross blocks. Local.
  template <class Action>
  void for_pieces(Index rows, Index most, Action action) const {
    const auto cut = [&](Range block) {
      for (Index first = block.begin; first < block.end; first += most)
        action(Range{first, std::min(first + most, block.end)});
    };
    if (!blocks) return cut({0, rows});
    for (Index part = blocks->sum.mine().begin; part < blocks->sum.mine().end; ++part)
      blocks->for_components(part, rows, cut);
  }

 private:
  template <class T, class Fill>
  void sum_blocks(Index rows, std::span<T> values, Fill fill) const {
    blocks->sum(values, [&](Index part, std::span<T> out) {
      bool first = true;
      blocks->for_components(part, rows, [&](Range block) {
        if (std::exchange(first, false)) return fill(block, out);
        std::vector<T> more(out.size());
        fill(block, std::span<T>(more));
        std::transform(more.begin(), more.end(), out.begin(), out.begin(), std::plus<>());
      });
    });
  }
};

}  // namespace wavegrid
