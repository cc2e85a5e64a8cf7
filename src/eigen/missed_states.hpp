// A search for eigenstates that an eigensolver has missed.
#pragma once

#include "eigen/eigen_state.hpp"

namespace wavegrid {

/// Looks for states below the occupied bands in the complement of the bands, with a few LOBPCG steps on random vectors.
/// By the Courant-Fischer theorem, a Ritz value there below an occupied band proves that a state was missed. The
/// vectors found replace the highest bands, and Rayleigh-Ritz sorts them. Returns the number of states found.
/// `occupations`: electrons of each band. Collective.
template <class S>
[[nodiscard]] int recover_missed_states(BandOperator<S>& op, EigenState<S>& state,
                                        const std::vector<double>& occupations);

}  // namespace wavegrid
