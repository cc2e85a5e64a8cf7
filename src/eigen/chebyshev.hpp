// Chebyshev-filtered subspace iteration: a polynomial of S^-1 H that is large on the wanted end of the spectrum and at
// most 1 on the rest is applied to all bands, then Rayleigh-Ritz. Y. Zhou, Y. Saad, M. L. Tiago, J. R. Chelikowsky, J.
// Comput. Phys. 219, 172 (2006), 10.1016/j.jcp.2006.03.017.
#pragma once

#include <optional>
#include <span>

#include <wavegrid/eigen/search_space.hpp>

namespace wavegrid {

/// Of a polynomial of a degree: large from `lowest` to `edge`, at most 1 from there to `upper`, Ha.
struct DampedInterval {
  double lowest, edge, upper;
  int degree;
};

/// Keeps some guard bands above the bands, so that the highest wanted band is well below the damped interval.
template <class S>
class Chebyshev {
 public:
  static constexpr Index max_block = 128;  ///< bands that are filtered together, as in residual minimisation

  /// Filters X and the guards once, then orthonormalises and rotates them. Bands with residuals below `bounds` are not
  /// filtered.
  /// X must be S-orthonormal, with X^H H X diagonal except for changes of the potential. Collective.
  void round(BandOperator<S>& op, EigenState<S>& state, const LockBounds& bounds = {});

  /// Updates HX, the guards and the bound of the spectrum after V has changed by `change`. Collective.
  void potential_changed(BandOperator<S>& op, EigenState<S>& state, std::span<const RealOf<S>> change);

  /// Drops guards and bounds, and frees all arrays.
  void restart();

  /// Bytes of the arrays that stay between rounds, with S = 1; of one array of the bands that are filtered together;
  /// and of the matrices that a round needs in addition. Pure.
  [[nodiscard]] static double bytes(Index rows, Index bands);
  [[nodiscard]] static double block_bytes(Index rows, Index bands);
  [[nodiscard]] static double round_bytes(Index bands);

 private:
  void extend(BandOperator<S>& op, const EigenState<S>& state);
  void copy_bands_to(EigenState<S>& state) const;
  void filter(BandOperator<S>& op, const std::vector<Index>& bands);

  std::optional<EigenState<S>> extended_;  ///< the bands, and above them the guards
  double upper_ = 0;                       ///< Ha, upper bound of all eigenvalues
  bool ritz_is_stale_ = false;             ///< the potential has changed since the last Rayleigh-Ritz
};

/// An upper bound of the eigenvalues of H x = e S x: the highest Ritz value of some Lanczos steps from a random vector
/// plus the norm of their remainder. Y. Zhou, R.-C. Li, Linear Algebra Appl. 435, 480 (2011),
/// 10.1016/j.laa.2010.06.034. Ha. Collective.
template <class S>
[[nodiscard]] double spectrum_upper_bound(BandOperator<S>& op);

}  // namespace wavegrid
