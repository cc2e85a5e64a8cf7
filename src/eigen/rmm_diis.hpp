// Residual minimisation: the residual norm of each band is minimised separately, without orthogonalisation between
// steps.
//
//   R(a) = R_0 + sum_m a_m (H - eps S) d_m,  d_m = K R_{m-1},  a minimises |R(a)|
//
// as least squares on the increments d_m, which stays well conditioned, unlike the usual eigenproblem in nearly equal
// vectors. P. Pulay, 10.1016/0009-2614(80)80396-4; D. M. Wood, A. Zunger, 10.1088/0305-4470/18/9/018; G. Kresse, J.
// Furthmueller, 10.1103/PhysRevB.54.11169.
#pragma once

#include <wavegrid/eigen/search_space.hpp>

namespace wavegrid {

/// `steps` residual minimisations (1 to 4) of every band that is not locked, as many again for bands with much larger
/// residuals than most, then Rayleigh-Ritz. The bands must be near their own eigenstates already: the method converges
/// to the nearest state, not to the lowest. X must be S-orthonormal; X^H H X need not be diagonal yet, and `values` may
/// be those of an earlier H. Collective.
template <class S>
void rmm_diis(BandOperator<S>& op, EigenState<S>& state, int steps, const LockBounds& bounds);

/// Bytes of the arrays that rmm_diis allocates. Pure.
template <class S>
[[nodiscard]] double rmm_diis_bytes(Index rows, Index bands, int steps);

}  // namespace wavegrid
