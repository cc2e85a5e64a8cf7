// Bands in a potential that stays: band structures.
#pragma once

#include <span>
#include <vector>

#include "scf/solve_scf.hpp"

namespace wavegrid {

/// The lowest bands of one k-point and spin. The same on all ranks of the k-group.
struct FixedBands {
  std::vector<double> values;  ///< Ha, rising
  double error = 0;            ///< Ha; what the residuals of these bands allow at most, see solve_bands
  bool converged = true;
};

/// Bands to work on where `wanted` are to be right: some more, so that the highest ones converge too. Collective.
template <class S>
[[nodiscard]] Index with_guard_bands(Index wanted, const Hamiltonian<S>& h);

/// Converges the `wanted` lowest bands in `potential` (this rank's block of its band group, Ha), and looks for missed
/// ones. The error of an eigenvalue is estimated as |R|^2 over a gap of 0.1 Ha, and falls below 1e-9 Ha.
/// Collective over the k-group.
template <class S>
[[nodiscard]] FixedBands solve_bands(KPointBands<S>& bands, const std::vector<double>& potential,
                                     const BandStart<S>& start, Index wanted);

}  // namespace wavegrid
