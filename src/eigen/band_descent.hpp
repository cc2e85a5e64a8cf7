// Conjugate-gradient steps of the occupied bands of one operator on the Grassmann manifold.
//
// An energy that depends on the span of X alone has the gradient 2 f G, G = HX - SX (X^H H X), in the tangent space
// X^H S G = 0. Directions are D = -W + beta D with the preconditioned gradient W; at new bands the old ones are rotated
// along and projected onto the new tangent space. A step goes to (X + t D), orthonormalised: any basis of that span is
// the same point.
//
// A. Edelman, T. A. Arias, S. T. Smith, SIAM J. Matrix Anal. Appl. 20, 303 (1998), 10.1137/S0895479895290954;
// M. C. Payne et al., Rev. Mod. Phys. 64, 1045 (1992), 10.1103/RevModPhys.64.1045.
#pragma once

#include <wavegrid/eigen/eigen_state.hpp>

namespace wavegrid {

/// Directions of the first bands of a state; the others are left as they are. Members are collective over the ranks of
/// the operator unless they say "local".
template <class S>
class BandDescent {
 public:
  /// Begins without directions, from the first `occupied` bands of `state`.
  void begin(const EigenState<S>& state, Index occupied);
  [[nodiscard]] Index occupied() const { return occupied_; }

  /// HX, Ritz values and Ritz vectors of the occupied bands; directions are rotated with them.
  void accept_step(BandOperator<S>& op, EigenState<S>& state);
  /// Computes W. Returns the real part of <G|W>, summed over the bands.
  [[nodiscard]] double update_gradient(BandOperator<S>& op, const EigenState<S>& state);
  /// The same for W at the accepted step before; 0 if there was none.
  [[nodiscard]] double product_with_last(const BandOperator<S>& op, const EigenState<S>& state) const;
  /// D = -W + beta D. Returns the real part of <G|D>.
  [[nodiscard]] double update_direction(const BandOperator<S>& op, const EigenState<S>& state, double beta);
  /// Replaces the occupied bands of the state by X + length D, orthonormalised, X being those at the last accepted
  /// step. HX becomes invalid.
  void move(BandOperator<S>& op, EigenState<S>& state, double length);

  /// Bytes of the arrays of so many bands. Pure.
  [[nodiscard]] static double bytes(Index rows, Index bands) { return 4.0 * Bands<S>::bytes(rows, bands); }

 private:
  void follow(const BandOperator<S>& op, const EigenState<S>& state, const Matrix<S>& rotation, BandView<S> bands);

  Index occupied_ = 0;
  Bands<S> x_, w_, last_w_, d_;  ///< X at the last accepted step, W, W before, D; of the occupied bands
  bool has_last_ = false;
};

}  // namespace wavegrid
