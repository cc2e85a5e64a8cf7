// Derivatives of energies in which the atoms stand as structure factors alone.
//
//   E = Re sum_s sum_G conj(S_s(G)) w_s(G),   S_s(G) = sum_{a of species s} exp(-iG.tau_a)
//   F_a = -dE/dtau_a = sum_G G Im(exp(iG.tau_a) w_s(G))
//
// The local potential, the core density and superposed atoms are of this kind.
#pragma once

#include <functional>
#include <vector>

#include "atoms/crystal.hpp"
#include "fft/grid_fft.hpp"

namespace wavegrid {

/// w_s(G) of a species on this rank's G of the box, Ha; none, on all ranks alike, for a species without forces.
using SpeciesWeights = std::function<GridFft::Coefficients(int species)>;

/// F_a of all atoms, Cartesian, Ha/bohr, the same on all ranks. Memory: the weights of one species. Collective, one sum
/// for each species (in deterministic mode one for each few dozen atoms).
[[nodiscard]] std::vector<Vec3> structure_forces(const GridFft& grid, const Crystal& crystal,
                                                 const SpeciesWeights& weights);

}  // namespace wavegrid
