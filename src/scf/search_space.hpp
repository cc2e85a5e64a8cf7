// The spaces in which LOBPCG and Davidson look for better bands: [X, W, ...], block by block.
#pragma once

#include <vector>

#include "scf/eigen_state.hpp"

namespace wavegrid {

/// |R|^2 below which a band is locked, Ha^2, band by band in the order of their values; empty: no band ever.
///
/// A locked band takes no part in new directions and so costs no application of H, but stays in the Rayleigh-Ritz
/// problem and in orthogonalisation (soft locking: A. V. Knyazev et al., SIAM J. Sci. Comput. 29, 2224 (2007),
/// 10.1137/060661624). It is judged anew in every step.
using LockBounds = std::vector<double>;

/// Directions belonging to some of the bands, with H times them. Arrays are made for all bands and grow only.
template <class S>
struct Directions {
  Bands<S> d, hd;
  std::vector<Index> of;  ///< the bands that they belong to, rising; column i belongs to band of[i]

  void reserve(Index rows, Index count);
  [[nodiscard]] Index count() const { return static_cast<Index>(of.size()); }
  [[nodiscard]] BandView<S> view() { return d.view().slice(0, count()); }
  [[nodiscard]] BandView<S> images() { return hd.view().slice(0, count()); }
  /// Keeps those of the bands in `bands` (rising) alone. Local.
  void keep(const std::vector<Index>& bands);
};

/// The bands whose residual is above its bound, rising. Pure.
[[nodiscard]] std::vector<Index> unlocked(const std::vector<double>& squared_residuals, const LockBounds& bounds);

/// w = K (HX - values X) of the bands that are not locked, off `fixed` and X, normalised, with H w. X must be
/// orthonormal. Collective.
template <class S>
void preconditioned_residuals(Hamiltonian<S>& h, const EigenState<S>& state, const LockBounds& bounds,
                              BandView<const S> fixed, Directions<S>& w);

/// The matrices of H and of the overlap in a space that grows by blocks. Upper triangles.
template <class S>
class SearchSpace {
 public:
  /// Starts with X, which is orthonormal; HX need not be diagonal in it. Collective.
  SearchSpace(const InnerProduct& product, BandView<const S> x, BandView<const S> hx);
  /// Adds a block; views must live as long as the space. Collective.
  void add(BandView<const S> v, BandView<const S> hv);
  /// The lowest `count` Ritz pairs; a space that is given away is not copied. Collective.
  [[nodiscard]] SubspaceSolution<S> solve(Index count) const&;
  [[nodiscard]] SubspaceSolution<S> solve(Index count) &&;
  [[nodiscard]] Index size() const { return h_.rows(); }

 private:
  const InnerProduct& product_;
  std::vector<BandView<const S>> v_, hv_;
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
