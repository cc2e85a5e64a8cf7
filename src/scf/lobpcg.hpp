// Locally optimal block preconditioned conjugate gradients: Rayleigh-Ritz in [X, W, P] with preconditioned residuals W
// and the last steps P. Without P it is a block Davidson step that restarts every time.
// A. V. Knyazev, SIAM J. Sci. Comput. 23, 517 (2001), 10.1137/S1064827500366124.
#pragma once

#include <span>

#include "scf/eigen_state.hpp"

namespace wavegrid {

/// Keeps the search directions P from step to step, also over changes of the potential, if it is told of them.
template <class S>
class Lobpcg {
 public:
  /// `carry_directions` false: W alone, the block Davidson step.
  explicit Lobpcg(bool carry_directions) : carry_directions_(carry_directions) {}

  /// One step; X must be orthonormal. Search directions are kept orthogonal to `fixed` (orthonormal, may be empty):
  /// then the lowest states of its complement are sought. Collective.
  void step(Hamiltonian<S>& h, EigenState<S>& state, BandView<const S> fixed = {});

  /// Brings HP up to date after V has changed by `change`. Collective.
  void potential_changed(Hamiltonian<S>& h, std::span<const RealOf<S>> change);

  /// Forgets P and frees all arrays.
  void restart();

  /// Bytes of the arrays kept from step to step, and of what one step needs besides. Pure.
  [[nodiscard]] static double bytes(Index rows, Index bands, bool carry_directions);
  [[nodiscard]] static double step_bytes(Index rows, Index bands, bool carry_directions);

 private:
  struct Directions {
    Bands<S> d, hd;
    void reserve(Index rows, Index count);
  };
  void search_directions(Hamiltonian<S>& h, const EigenState<S>& state, BandView<const S> fixed);
  [[nodiscard]] Index sort_out_steps(const InnerProduct& product);
  [[nodiscard]] bool advance(Hamiltonian<S>& h, EigenState<S>& state);

  static constexpr double smallest_step = 1e-5;  ///< in single precision, of a band of norm 1

  bool carry_directions_;
  bool has_steps_ = false;  ///< P holds the last steps
  Directions w_, p_;        ///< made in the first step, then used again and again
};

}  // namespace wavegrid
