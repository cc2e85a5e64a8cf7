// Bands that are converged already.
#pragma once

#include <vector>

#include <wavegrid/base/index.hpp>

namespace wavegrid {

/// |R|^2 below which a band is locked, Ha^2, one per band in the order of their eigenvalues; empty: no band is locked.
///
/// A locked band adds no new direction and so costs no application of H, but stays in the Rayleigh-Ritz problem and in
/// orthogonalisation (soft locking: A. V. Knyazev et al., SIAM J. Sci. Comput. 29, 2224 (2007), 10.1137/060661624).
/// Locking is decided again in each step.
using LockBounds = std::vector<double>;

/// The bands whose residual is above its bound, ascending. Pure.
[[nodiscard]] std::vector<Index> unlocked(const std::vector<double>& squared_residuals, const LockBounds& bounds);

}  // namespace wavegrid
