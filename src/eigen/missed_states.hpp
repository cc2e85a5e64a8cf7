// A search for eigenstates in the complement of the bands: those that an eigensolver has missed, and more bands.
#pragma once

#include <optional>

#include <wavegrid/eigen/eigen_state.hpp>

namespace wavegrid {

/// Looks for states below the occupied bands in the complement of the bands, with LOBPCG steps on random vectors: three
/// to eight, until it is clear on which side of the occupied bands they end. By the Courant-Fischer theorem, a Ritz
/// value there below an occupied band proves that a state was missed. The vectors found replace the highest bands, and
/// Rayleigh-Ritz sorts them. Returns the number of states found. `occupations`: electrons of each band; a band counts
/// as occupied if its electrons in a slightly wrong state change the energy by a tenth of `tolerance` (Ha). `margin`:
/// how far below an occupied band a Ritz value proves it, so that states which are degenerate with that band do not;
/// none: 1e-3 units of energy. Collective.
template <class S>
[[nodiscard]] int recover_missed_states(BandOperator<S>& op, EigenState<S>& state,
                                        const std::vector<double>& occupations, double tolerance,
                                        std::optional<double> margin = std::nullopt);

/// Adds bands to a state until it has `count`: the lowest states of the complement of its bands, by the same search,
/// then Rayleigh-Ritz. The new ones need further rounds of an eigensolver. `count` is at most what most_bands() allows.
/// Collective.
template <class S>
void add_bands(BandOperator<S>& op, EigenState<S>& state, Index count);

/// The largest number of bands that add_bands() can reach from `bands` ones in a space of `dimension`: the search takes
/// up to three times as many vectors as it adds. Pure.
[[nodiscard]] constexpr Index most_bands(Index bands, Index dimension) {
  // A half sphere of n plane waves has 2n real rows but 2n - 1 independent bands.
  const Index complement = dimension - 1 - bands;
  return complement < 3 ? bands : bands + complement / 3;
}

}  // namespace wavegrid
