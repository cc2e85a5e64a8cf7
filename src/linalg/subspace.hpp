// Overlaps, rotations and the subspace eigenproblem on blocks of bands; one BLAS-3 call each and one sum over ranks.
#pragma once

#include <memory>
#include <vector>

#include "linalg/bands.hpp"
#include "mpi/ordered_sum.hpp"

namespace wavegrid {

/// Blocks of rows that are the same whoever holds them, and the sum over them.
struct RowBlocks {
  OrderedSum sum;
  std::vector<Index> begins;  ///< first of this rank's rows in each of my blocks, and the end

  [[nodiscard]] Range rows_of(Index part) const {
    const auto mine = static_cast<std::size_t>(part - sum.mine().begin);
    return {begins[mine], begins[mine + 1]};
  }
};

/// The inner product of two bands whose rows are distributed over `comm`.
///
/// Complex rows: sum conj(a) b. Real rows of the half sphere in Gamma mode: every G stands for -G too, so
/// <a|b> = 2 sum a b - a0 b0 with row 0 of G = 0 counted once (docs/conventions.md).
struct InnerProduct {
  Comm comm;
  Index zero_row = -1;  ///< first row of G = 0 on the rank that owns it, -1 elsewhere; unused for complex rows
  /// Rows in blocks that do not depend on the number of ranks: then no result does, bit for bit. None: this rank's rows
  /// are one block, and ranks are added as MPI likes best.
  std::shared_ptr<const RowBlocks> blocks = nullptr;

  /// The sum over all rows of all ranks: fill(rows, values) sets the values of one block of my rows. Collective.
  template <class T, class Fill>
  void sum(Index rows, std::span<T> values, Fill fill) const {
    if (blocks) return blocks->sum(values, [&](Index part, std::span<T> out) { fill(blocks->rows_of(part), out); });
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
    for (Index part = blocks->sum.mine().begin; part < blocks->sum.mine().end; ++part) cut(blocks->rows_of(part));
  }
};

/// a^H b, (a.count, b.count), the same on all ranks. Collective.
template <class S>
[[nodiscard]] Matrix<S> overlap(const InnerProduct& product, BandView<const S> a, BandView<const S> b);
/// The upper triangle of a^H b where that is Hermitian, in little more than half the time; what stands below the
/// diagonal has no meaning. Collective.
template <class S>
[[nodiscard]] Matrix<S> upper_overlap(const InnerProduct& product, BandView<const S> a, BandView<const S> b);
/// overlap() summed in double precision, for bands in single precision that stand too close to each other. Slower.
/// Collective.
template <class S>
[[nodiscard]] Matrix<DoubleOf<S>> overlap_in_double(const InnerProduct& product, BandView<const S> a,
                                                    BandView<const S> b);
/// Squared norm of each band. Collective.
template <class S>
[[nodiscard]] std::vector<double> squared_norms(const InnerProduct& product, BandView<const S> a);
/// Real part of <a_i|b_i> for each pair. Collective.
template <class S>
[[nodiscard]] std::vector<double> diagonal_overlaps(const InnerProduct& product, BandView<const S> a,
                                                    BandView<const S> b);

/// out = in * c (+ out where `add`), with c (in.count, out.count). Local. `out` must not overlap `in`.
template <class S>
void rotate(const InnerProduct& product, BandView<const S> in, const Matrix<S>& c, BandView<S> out, bool add = false);

/// The same in place: the first c.columns() bands (no more than there are) become the rotated ones. A few rows at a
/// time, so that no second array of bands is needed. Local.
template <class S>
void rotate_in_place(const InnerProduct& product, BandView<S> bands, const Matrix<S>& c);
/// Rows that rotate_in_place and its like take at a time: wide enough for BLAS-3, few enough to stay in cache.
inline constexpr Index rotated_rows = 512;

/// Scales each band to norm 1, and its image (such as H times it) along with it where `images` is not empty.
/// Collective.
template <class S>
void normalise(const InnerProduct& product, BandView<S> bands, BandView<S> images = {});

/// bands -= q q^H bands, for orthonormal q (which may be empty). Collective.
template <class S>
void project_off(const InnerProduct& product, BandView<const S> q, BandView<S> bands);

/// The lowest `count` pairs of H c = s c lambda with Hermitian H and positive definite s.
template <class S>
struct SubspaceSolution {
  bool definite = true;  ///< false: s had no Cholesky factor (in single precision, no safe one); nothing else is set
  std::vector<double> values;  ///< rising
  Matrix<S> vectors;           ///< (n, count), s-orthonormal
};
/// Where a subspace problem is solved.
enum class SubspaceSolver {
  by_size,      ///< distributed where that pays (spreads_subspace), else on one rank
  one_rank,     ///< LAPACK on rank 0
  distributed,  ///< ScaLAPACK over all ranks (linalg/distributed_eigen.hpp)
};
/// Whether `by_size` takes all of `ranks` ranks for a problem of `n` rows. Pure.
[[nodiscard]] bool spreads_subspace(Index n, int ranks);

/// Solved in double precision; all ranks hold the same bits. Collective.
template <class S>
[[nodiscard]] SubspaceSolution<S> solve_subspace(const Comm& comm, Matrix<S> h, Matrix<S> s, Index count,
                                                 SubspaceSolver solver = SubspaceSolver::by_size);
/// The same over the ranks of `product`; on one rank where results must not depend on their number.
template <class S>
[[nodiscard]] SubspaceSolution<S> solve_subspace(const InnerProduct& product, Matrix<S> h, Matrix<S> s, Index count) {
  return solve_subspace<S>(product.comm, std::move(h), std::move(s), count,
                           product.blocks ? SubspaceSolver::one_rank : SubspaceSolver::by_size);
}

}  // namespace wavegrid
