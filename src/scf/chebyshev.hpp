// Chebyshev-filtered subspace iteration: a polynomial of H that is large on the wanted end of the spectrum and at most
// 1 on the rest, applied to all bands, then Rayleigh-Ritz. Y. Zhou, Y. Saad, M. L. Tiago, J. R. Chelikowsky, J. Comput.
// Phys. 219, 172 (2006), 10.1016/j.jcp.2006.03.017.
#pragma once

#include <optional>
#include <span>

#include "scf/search_space.hpp"

namespace wavegrid {

/// Keeps some guard bands above the bands, so that the highest band that counts stands off the damped interval.
template <class S>
class Chebyshev {
 public:
  /// Filters X and the guards once, then orthonormalises and rotates them. Bands below their `bounds` are not filtered.
  /// X must be orthonormal with X^H H X diagonal but for a change of the potential. Collective.
  void round(Hamiltonian<S>& h, EigenState<S>& state, const LockBounds& bounds = {});

  /// Brings HX, the guards and the bound of the spectrum up to date after V has changed by `change`. Collective.
  void potential_changed(Hamiltonian<S>& h, EigenState<S>& state, std::span<const RealOf<S>> change);

  /// Forgets guards and bounds, and frees all arrays.
  void restart();

  /// Degree of the last filter.
  [[nodiscard]] int degree() const { return degree_; }

  /// Bytes of the arrays, and of the matrices that a round needs besides. Pure.
  [[nodiscard]] static double bytes(Index rows, Index bands);
  [[nodiscard]] static double round_bytes(Index bands);

 private:
  void take_in(Hamiltonian<S>& h, const EigenState<S>& state);
  void give_out(EigenState<S>& state) const;
  void filter(Hamiltonian<S>& h, const std::vector<Index>& bands);

  std::optional<EigenState<S>> wide_;  ///< the bands, and above them the guards
  double upper_ = 0;                   ///< Ha, no eigenvalue is above
  int degree_ = 0;
  bool ritz_is_stale_ = false;  ///< the potential has changed since the last Rayleigh-Ritz
};

/// A bound that no eigenvalue of H exceeds: the highest Ritz value of some Lanczos steps from a random vector and the
/// norm of what they leave. Y. Zhou, R.-C. Li, Linear Algebra Appl. 435, 480 (2011), 10.1016/j.laa.2010.06.034.
/// Ha. Collective.
template <class S>
[[nodiscard]] double upper_bound_of_spectrum(Hamiltonian<S>& h);

}  // namespace wavegrid
