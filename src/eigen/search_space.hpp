// The spaces [X, W, ...] in which LOBPCG and Davidson find better bands, block by block.
#pragma once

#include <vector>

#include <wavegrid/eigen/eigen_state.hpp>
#include <wavegrid/eigen/locking.hpp>
#include <wavegrid/linalg/subspace.hpp>

namespace wavegrid {

/// Search directions of some of the bands, with HX and SX. Arrays are allocated for all bands and only grow.
template <class S>
struct Directions {
  HsBands<S> all;
  std::vector<Index> of;  ///< their bands, ascending; column i belongs to band of[i]

  void reserve(Index rows, Index count, bool with_overlap) { all.reshape(rows, count, with_overlap); }
  [[nodiscard]] Index count() const { return static_cast<Index>(of.size()); }
  [[nodiscard]] HsView<S> view() { return all.view().slice(0, count()); }
  /// Keeps only the directions of `bands` (ascending). Local.
  void keep(const std::vector<Index>& bands);
};

/// W = K (HX - SX values) of the bands that are not locked, S-orthogonal to `fixed` and X, normalised, with HX and SX.
/// X must be S-orthonormal. Of `fixed` (S-orthonormal, may be empty) x and sx are used. Collective.
template <class S>
void preconditioned_residuals(BandOperator<S>& op, const EigenState<S>& state, const LockBounds& bounds,
                              const HsView<const S>& fixed, Directions<S>& w);

/// The matrices of H and of S in a space that grows by blocks. Upper triangles.
template <class S>
class SearchSpace {
 public:
  /// Starts with X, which is S-orthonormal; X^H H X need not be diagonal. Collective.
  SearchSpace(const InnerProduct& product, const HsView<const S>& x);
  /// Adds a block; views must live as long as the space. Collective.
  void add(const HsView<const S>& block);
  /// The lowest `count` Ritz pairs; for an rvalue the matrices are moved, not copied. So many directions that depend on
  /// others may be left out (Dependence). Collective.
  [[nodiscard]] SubspaceSolution<S> solve(Index count, Index most_left_out = 0) const&;
  [[nodiscard]] SubspaceSolution<S> solve(Index count, Index most_left_out = 0) &&;
  [[nodiscard]] Index size() const { return h_.rows(); }

 private:
  const InnerProduct& product_;
  std::vector<HsView<const S>> blocks_;
  Matrix<S> h_, s_;
};

/// out = sum of blocks times their rows of `c`, a few rows at a time: `out` may be one of the blocks. Local.
template <class S>
void combine(const InnerProduct& product, const std::vector<BandView<const S>>& blocks, const Matrix<S>& c,
             BandView<S> out);

/// Some columns of a matrix. Pure.
template <class S>
[[nodiscard]] Matrix<S> columns_of(const Matrix<S>& m, const std::vector<Index>& columns);

}  // namespace wavegrid
