// Rayleigh-Ritz in the span of functions that may be linearly dependent, such as atomic orbitals.
#pragma once

#include <wavegrid/eigen/eigen_state.hpp>

namespace wavegrid {

/// The lowest `bands` Ritz vectors in the span of `functions`, with HX and SX, for H x = e S x.
/// Collective. Throws bad_input, on all ranks, if fewer of the functions are linearly independent.
template <class S>
[[nodiscard]] EigenState<S> lowest_in_span(BandOperator<S>& h, Bands<S> functions, Index bands);

}  // namespace wavegrid
