// Locally optimal block preconditioned conjugate gradients: Rayleigh-Ritz in [X, W, P] with preconditioned residuals W
// and the last steps P.
// A. V. Knyazev, SIAM J. Sci. Comput. 23, 517 (2001), 10.1137/S1064827500366124.
#pragma once

#include <memory>
#include <span>
#include <utility>

#include "eigen/search_space.hpp"

namespace wavegrid {

/// Keeps the search directions P from step to step, also over changes of the potential that are passed on to it.
template <class S>
class Lobpcg {
 public:
  /// `work` is for W, whose contents live through one step only: solvers that take turns may share it.
  explicit Lobpcg(std::shared_ptr<Directions<S>> work = std::make_shared<Directions<S>>()) : w_(std::move(work)) {}

  /// One step; X must be S-orthonormal. Search directions are kept S-orthogonal to `fixed` (S-orthonormal, may be
  /// empty): then the lowest states of its complement are sought. Bands below their `bounds` are locked. Collective.
  void step(BandOperator<S>& op, EigenState<S>& state, const ImagedView<const S>& fixed = {},
            const LockBounds& bounds = {});

  /// Brings HP up to date after V has changed by `change`. Collective.
  void potential_changed(BandOperator<S>& op, std::span<const RealOf<S>> change);

  /// Forgets P and frees all arrays.
  void restart();

  /// Bytes of the arrays kept from step to step, of W, and of what one step needs besides. Pure.
  [[nodiscard]] static double bytes(Index rows, Index bands) { return 2.0 * Bands<S>::bytes(rows, bands); }
  [[nodiscard]] static double work_bytes(Index rows, Index bands) { return 2.0 * Bands<S>::bytes(rows, bands); }
  [[nodiscard]] static double step_bytes(Index rows, Index bands);

 private:
  void drop_useless_steps(const InnerProduct& product, const std::vector<Index>& active);
  /// One step of the `active` bands in [X, W, P]; false where that space is not independent.
  [[nodiscard]] bool advance(BandOperator<S>& op, EigenState<S>& state, const std::vector<Index>& active);

  static constexpr double smallest_step = is_single<S> ? 1e-5 : 1e-13;  ///< of a band of norm 1

  std::shared_ptr<Directions<S>> w_;
  Directions<S> p_;  ///< of the bands that moved last
};

}  // namespace wavegrid
