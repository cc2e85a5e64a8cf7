// Locally optimal block preconditioned conjugate gradients: Rayleigh-Ritz in [X, W, P] with preconditioned residuals W
// and the last steps P.
// A. V. Knyazev, SIAM J. Sci. Comput. 23, 517 (2001), 10.1137/S1064827500366124.
#pragma once

#include <memory>
#include <span>
#include <utility>

#include <wavegrid/eigen/search_space.hpp>

namespace wavegrid {

/// Keeps the search directions P between steps, also when the potential changes (potential_changed).
template <class S>
class Lobpcg {
 public:
  /// `work` is for W, whose contents are needed within one step only: solvers that run one after the other may share
  /// it.
  explicit Lobpcg(std::shared_ptr<Directions<S>> work = std::make_shared<Directions<S>>()) : w_(std::move(work)) {}

  /// One step; X must be S-orthonormal. Search directions are kept S-orthogonal to `fixed` (S-orthonormal, may be
  /// empty), so that the lowest states of its complement are found. Bands with residuals below `bounds` are locked.
  /// Collective.
  void step(BandOperator<S>& op, EigenState<S>& state, const HsView<const S>& fixed = {},
            const LockBounds& bounds = {});

  /// Updates HP after V has changed by `change`. Collective.
  void potential_changed(BandOperator<S>& op, std::span<const RealOf<S>> change);

  /// Drops P and frees all arrays.
  void restart();

  /// Bytes of the arrays kept between steps, of W, and of what one step needs in addition. Pure.
  [[nodiscard]] static double bytes(Index rows, Index bands) { return 2.0 * Bands<S>::bytes(rows, bands); }
  [[nodiscard]] static double work_bytes(Index rows, Index bands) { return 2.0 * Bands<S>::bytes(rows, bands); }
  [[nodiscard]] static double step_bytes(Index rows, Index bands);

 private:
  void drop_useless_steps(const InnerProduct& product, const std::vector<Index>& active);
  /// One step of the `active` bands in [X, W, P]; false where these vectors are linearly dependent.
  [[nodiscard]] bool advance(BandOperator<S>& op, EigenState<S>& state, const std::vector<Index>& active);

  /// Relative to a band of norm 1; such a step changes the energy by the square. In double precision 1e-9 was too
  /// small: energies of silicon drifted from -7.78 Ha to -1e9 Ha and beyond, a hundred steps after convergence
  /// (decision 0012).
  static constexpr double smallest_step = is_single<S> ? 1e-5 : 1e-8;

  std::shared_ptr<Directions<S>> w_;
  Directions<S> p_;  ///< of the bands that were active in the last step
};

}  // namespace wavegrid
