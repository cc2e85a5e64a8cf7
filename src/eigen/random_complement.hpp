// Random bands beyond given ones: guards of a filter, probes for missed states.
#pragma once

#include <wavegrid/eigen/eigen_state.hpp>

namespace wavegrid {

/// Sets `bands` to random ones with X^H S X = 1 that are orthogonal to the orthonormal bands `to`, with HX and SX.
/// Smooth functions, and others where too few smooth ones are independent: a small cell has some dozens of them. Band b
/// is seeded by first_key + b. Collective.
template <class S>
void fill_complement(BandOperator<S>& op, Index first_key, const HsView<const S>& to, const HsView<S>& bands);

}  // namespace wavegrid
