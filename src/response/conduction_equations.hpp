// Sternheimer's equations: linear equations for changes of occupied bands among the empty states.
#pragma once

#include <span>

#include <wavegrid/eigen/band_operator.hpp>

namespace wavegrid {

/// Solves (H - e_b) x_b = b_b in the space orthogonal to the bands `occupied`, of eigenvalues `energies` (Ha), for S =
/// 1: conjugate gradients with the preconditioner of the operator, each band apart from the others. The part of `rhs`
/// in the occupied bands is ignored. `x`: begin as a guess, which is orthogonal to the occupied bands. Ends when no
/// residual is larger than `tolerance` (norm, unit of rhs). Returns the number of applications of H. Collective over
/// the ranks of the operator. Throws bad_input where H - e_b is not positive there, as in a metal, and after too many
/// steps.
template <class S>
int solve_among_empty(BandOperator<S>& op, BandView<const S> occupied, std::span<const double> energies,
                      BandView<const S> rhs, BandView<S> x, double tolerance);

}  // namespace wavegrid
