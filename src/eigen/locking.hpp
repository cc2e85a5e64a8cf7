// Bands that are good enough already.
#pragma once

#include <vector>

#include "base/index.hpp"

namespace wavegrid {

/// |R|^2 below which a band is locked, Ha^2, band by band in the order of their values; empty: no band ever.
///
/// A locked band takes no part in new directions and so costs no application of H, but stays in the Rayleigh-Ritz
/// problem and in orthogonalisation (soft locking: A. V. Knyazev et al., SIAM J. Sci. Comput. 29, 2224 (2007),
/// 10.1137/060661624). Each step decides anew.
using LockBounds = std::vector<double>;

/// The bands whose residual is above its bound, rising. Pure.
[[nodiscard]] std::vector<Index> unlocked(const std::vector<double>& squared_residuals, const LockBounds& bounds);

}  // namespace wavegrid
