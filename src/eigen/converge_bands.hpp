// Bands of an operator that does not change: band structures.
#pragma once

#include <vector>

#include "eigen/band_solver.hpp"

namespace wavegrid {

/// The lowest bands of an operator. The same on all its ranks.
struct ConvergedBands {
  std::vector<double> values;  ///< Ha, ascending
  double error = 0;            ///< Ha; largest estimated error of these bands, see converge_bands
  bool converged = true;
};

/// The number of bands to compute for `wanted` ones: some more, so that the highest ones converge too. Collective.
template <class S>
[[nodiscard]] Index with_guard_bands(Index wanted, const BandOperator<S>& op);

/// Converges the `wanted` lowest bands of a state, and looks for missed ones. The error of an eigenvalue is estimated
/// as |R|^2 over a gap of 0.1 Ha; it must be below 1e-9 Ha. Collective.
template <class S>
[[nodiscard]] ConvergedBands converge_bands(BandOperator<S>& op, EigenState<S>& state, BandSolver<S>& solver,
                                            Index wanted);

}  // namespace wavegrid
