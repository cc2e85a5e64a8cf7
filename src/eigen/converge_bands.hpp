// Bands of an operator that does not change: band structures.
#pragma once

#include <optional>
#include <vector>

#include <wavegrid/eigen/band_solver.hpp>

namespace wavegrid {

/// When bands count as converged: by default, relative to the spectrum, so that the unit of H does not matter.
struct BandTolerance {
  double error = 1e-9;  ///< largest error of an eigenvalue
  /// Of `error`, to the width of the spectrum of the bands: the highest minus the lowest Ritz value, at least a
  /// thousandth of the largest one. If not, `error` is in the unit of H.
  bool relative = true;
  /// The distance, in the unit of H, that is assumed between each band and the states outside of the set. None: the
  /// distance to the highest band of the state, which is too small rather than too large.
  std::optional<double> gap = std::nullopt;
  int max_rounds = 200;
  /// Whether LOBPCG takes over where another method stagnates. If not, Chebyshev filters go on.
  bool may_change_method = true;
};

/// The lowest bands of an operator, in its unit. The same on all its ranks.
struct ConvergedBands {
  std::vector<double> values;  ///< ascending
  double error = 0;            ///< largest estimated error of these bands, see converge_bands
  bool converged = true;
  int rounds = 0;  ///< of the solver
};

/// The number of bands to compute for `wanted` ones: some more, so that the highest ones converge too. Collective.
template <class S>
[[nodiscard]] Index with_guard_bands(Index wanted, const BandOperator<S>& op);

/// Converges the `wanted` lowest bands of a state, and looks for missed ones. The error of an eigenvalue is estimated
/// as |R|^2 over the gap of the tolerance, or as |R| where the gap is found and smaller than that. Collective.
template <class S>
[[nodiscard]] ConvergedBands converge_bands(BandOperator<S>& op, EigenState<S>& state, BandSolver<S>& solver,
                                            Index wanted, const BandTolerance& tolerance = {});

}  // namespace wavegrid
