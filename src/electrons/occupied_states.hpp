// All states of a calculation in one table, and their occupations.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <wavegrid/base/index.hpp>
#include <wavegrid/electrons/smearing.hpp>

namespace wavegrid {

/// Electrons and how they occupy the bands.
struct Electrons {
  double count = 0;
  Smearing smearing;
  int spins = 1;
  std::optional<double> total_magnetisation =
      std::nullopt;                                ///< n_up - n_down held fixed; none: one Fermi level for both
  std::shared_ptr<const Tetrahedra> tetrahedra{};  ///< where the smearing needs them
  int components = 1;                              ///< of a band: 2 for spinors
  bool vector_magnetisation = false;               ///< of spinors: the density has one
  /// By spin: electrons of each band, the lowest first, the same at all k-points; further bands are empty. Empty: as
  /// `smearing` says, which is not used otherwise. They add up to `count` but for rounding.
  std::vector<std::vector<double>> given{};

  /// Electrons of a full state.
  [[nodiscard]] double full() const { return spins == 2 || components == 2 ? 1.0 : 2.0; }
};

/// The shape of arrays over all states: k-point, spin, band, the last fastest.
struct StateTable {
  Index num_k = 1;
  int spins = 1;
  Index bands = 0;  ///< per k-point and spin

  [[nodiscard]] Index size() const { return num_k * spins * bands; }
  [[nodiscard]] Index first(Index k, int spin) const { return (k * spins + spin) * bands; }
};

/// Bands of a k-point and spin up to the last one with electrons. Pure.
[[nodiscard]] inline Index num_occupied(std::span<const double> occupations) {
  auto count = static_cast<Index>(occupations.size());
  while (count > 0 && occupations[static_cast<std::size_t>(count - 1)] == 0) --count;
  return count;
}

/// The occupations of all states; arrays in the order of StateTable.
struct SpinOccupations {
  /// Ha; one, or with a fixed moment those of up and down; of given occupations the highest level with electrons
  std::vector<double> fermi;
  std::vector<double> f;       ///< electrons per state, weights included
  double minus_ts = 0;         ///< Ha
  bool too_few_bands = false;  ///< smeared, and the highest band is occupied
  /// With fixed occupations and a free moment: the highest band of a spin is full, so that the moment cannot be larger.
  bool moment_limited = false;
};

/// Occupies all states. Not collective: the same arguments on all ranks. Throws bad_input as occupy() does.
[[nodiscard]] SpinOccupations occupy_states(std::span<const double> eigenvalues, const StateTable& table,
                                            std::span<const double> k_weights, const Electrons& electrons);

/// -df/deps of all states, electrons/Ha with weights: the contribution of each state to the density of states at the
/// Fermi level. Not negative: kinds of smearing whose occupation is not monotonic count as gaussian; 0 for fixed
/// occupations.
[[nodiscard]] std::vector<double> occupation_slopes(std::span<const double> eigenvalues, const StateTable& table,
                                                    std::span<const double> k_weights, const Electrons& electrons,
                                                    std::span<const double> fermi);

/// The number of bands per k-point and spin at which the highest one would be empty (occupied to less than 1e-5),
/// extrapolated from the density of states in the upper half of the bands: at least a tenth more than there are, at
/// most twice as many; of fixed occupations at most one for each electron. `fermi` as in SpinOccupations.
[[nodiscard]] Index bands_with_empty_ones(std::span<const double> eigenvalues, const StateTable& table,
                                          const Electrons& electrons, std::span<const double> fermi);

}  // namespace wavegrid
