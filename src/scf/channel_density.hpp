// From the densities of spin channels to the density of an ElectronSolver.
#pragma once

#include <tuple>
#include <utility>

#include <wavegrid/scf/electron_solver.hpp>

namespace wavegrid {

/// The density whose channels have these values at this rank's points (all electrons, or spin up and down;
/// electrons/bohr^3), averaged over the symmetry of the space, with its energy in the channels' potentials `v` (Ha).
/// Collective over the space.
template <FieldSpace Space>
[[nodiscard]] ElectronDensity<Space> density_of_channels(Space& space, SpinFields channels, const SpinFields& v) {
  ElectronDensity<Space> result;
  result.potential_energy = space.integrate([&](std::size_t i) {
    double sum = 0;
    for (std::size_t s = 0; s < channels.size(); ++s) sum += channels[s][i] * v[s][i];
    return sum;
  });
  if (channels.size() == 2)
    for (std::size_t i = 0; i < channels[0].size(); ++i)
      std::tie(channels[0][i], channels[1][i]) =
          std::pair(channels[0][i] + channels[1][i], channels[0][i] - channels[1][i]);
  for (FieldValues& component : channels) {
    typename Space::Field field = space.to_field(component);
    if (space.has_symmetry()) {
      space.symmetrise(field);
      component = space.to_values(field);
    }
    result.fields.n.push_back(std::move(field));
    result.values.n.push_back(std::move(component));
  }
  return result;
}

}  // namespace wavegrid
