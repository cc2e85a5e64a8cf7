// A search for eigenstates that the bands have missed.
#pragma once

#include "eigen/eigen_state.hpp"

namespace wavegrid {

/// Looks for states below the occupied bands in the complement of the bands, with a few LOBPCG steps on random
/// vectors. By Courant-Fischer a Ritz value there that lies below an occupied band proves a miss. Where one is found,
/// the vectors replace the highest bands and Rayleigh-Ritz puts them in order. Returns the number of states found.
/// `occupations`: electrons of each band. Collective.
template <class S>
[[nodiscard]] int recover_missed_states(BandOperator<S>& op, EigenState<S>& state,
                                        const std::vector<double>& occupations);

}  // namespace wavegrid
