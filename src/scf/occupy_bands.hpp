// What every solver does with the eigenvalues of its bands: occupations, and the states at the Fermi level.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include <wavegrid/scf/electron_solver.hpp>
#include <wavegrid/scf/scf_system.hpp>

namespace wavegrid {

/// Gathers the eigenvalues of all bands (Ha) into `states`, and occupies them. Returns -T S, Ha. Collective over all
/// ranks.
template <class S, FieldSpace Space>
[[nodiscard]] double occupy_bands(const ScfSystem<S, Space>& system, ElectronStates& states) {
  states.eigenvalues = gather_eigenvalues(system.groups, system.bands, system.table());
  const SpinOccupations filled = occupy_states(states.eigenvalues, system.table(), system.k_weights, system.electrons);
  states.occupations = filled.f;
  states.fermi = filled.fermi;
  states.too_few_bands = filled.too_few_bands;
  states.moment_limited = filled.moment_limited;
  states.enough_bands = !states.wants_bands()
                            ? 0
                            : bands_with_empty_ones(states.eigenvalues, system.table(), system.electrons, states.fermi);
  return filled.minus_ts;
}

/// The local density of states at the Fermi level, of both spins, averaged over the symmetry as the density is.
/// Otherwise the mixed density and its potential would not be symmetric, and the energies would combine that potential
/// with the density before and after averaging: an error of first order in the free energy. `channel(spin, weights)`:
/// the density of the bands of one spin with these weights. Collective over all ranks.
template <class S, FieldSpace Space, class Channel>
[[nodiscard]] FieldValues states_at_fermi_level(const ScfSystem<S, Space>& system, const ElectronStates& levels,
                                                const Channel& channel) {
  const std::vector<double> slopes =
      occupation_slopes(levels.eigenvalues, system.table(), system.k_weights, system.electrons, levels.fermi);
  FieldValues states = channel(0, slopes);
  if (system.electrons.spins == 2) {
    const FieldValues down = channel(1, slopes);
    std::transform(states.begin(), states.end(), down.begin(), states.begin(), std::plus<>());
  }
  if (!system.space.has_symmetry()) return states;
  typename Space::Field whole = system.space.to_field(states);
  system.space.symmetrise(whole);
  return system.space.to_values(whole);
}

}  // namespace wavegrid
