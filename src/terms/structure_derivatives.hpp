// Derivatives of energies that depend on the positions of the atoms through structure factors only.
//
//   E = Re sum_s sum_G conj(S_s(G)) w_s(G),   S_s(G) = sum_{a of species s} exp(-iG.tau_a)
//   F_a = -dE/dtau_a = sum_G G Im(exp(iG.tau_a) w_s(G))
//
// If w_s(G) = v_s(|G|) f(G) with a field f whose integral over the cell does not change with the strain (Omega f(G)
// fixed), then
//
//   dE/d eps_ab = -sum_s sum_G v_s'(|G|) G_a G_b / |G| Re(conj(S_s(G)) f(G)) - delta_ab E
//
// The functions here leave out the last term, which depends on the kind of f (for core densities f is a potential);
// callers add it. The local potential, the core density and superposed atoms are of this kind.
#pragma once

#include <functional>
#include <vector>

#include <wavegrid/crystal/crystal.hpp>
#include <wavegrid/fft/grid_fft.hpp>
#include <wavegrid/terms/symmetric_sums.hpp>

namespace wavegrid {

/// w_s(G) of a species on this rank's G of the box, Ha; empty, on all ranks, for a species without forces.
using SpeciesWeights = std::function<GridFft::Coefficients(int species)>;

/// F_a of all atoms, Cartesian, Ha/bohr, the same on all ranks. Memory: the weights of one species. Collective, one sum
/// for each species (in deterministic mode several).
[[nodiscard]] std::vector<Vec3> structure_forces(const GridFft& grid, const Crystal& crystal,
                                                 const SpeciesWeights& weights);

/// -sum_s sum_G w'_s(G) G_a G_b / |G|, w'_s = v_s' Re(conj(S_s) f), where `slopes` gives v_s'(|G|) f(G): dE/d eps_ab in
/// Ha without the isotropic part, symmetric, the same on all ranks. Collective, one sum for each species.
[[nodiscard]] Mat3 structure_strain(const GridFft& grid, const Crystal& crystal, const SpeciesWeights& slopes);

/// sum_G weight(i) g_a g_b with g = wave(i) at local index i, over all ranks' G of the box but G = 0. Symmetric.
/// Collective.
template <class Weight, class Wave>
[[nodiscard]] Mat3 product_sum(const GridFft& grid, Weight weight, Wave wave);

/// sum_G f(G) G_a G_b / G^2 over all ranks' G of the box but G = 0, symmetric. `f(i)` at local index i. Collective.
template <class Field>
[[nodiscard]] Mat3 sum_of_directions(const GridFft& grid, Field f);

// ---------------------------------------------------------------------------------------------------------------------

template <class Weight, class Wave>
Mat3 product_sum(const GridFft& grid, Weight weight, Wave wave) {
  double sums[6];
  grid.over_waves().arrays(sums, [&](Range elements, std::span<double> out) {
    for (Index i = elements.begin; i < elements.end; ++i) {
      const auto at = static_cast<std::size_t>(i);
      if (i != grid.waves().zero()) add_to_symmetric(out, weight(at), wave(at));
    }
  });
  return symmetric(sums);
}

template <class Field>
Mat3 sum_of_directions(const GridFft& grid, Field f) {
  const PlaneWaves& box = grid.waves();
  return product_sum(
      grid, [&](std::size_t i) { return f(i) / (2.0 * box.kinetic()[i]); },
      [&](std::size_t i) { return box.k_plus_g(static_cast<Index>(i)); });
}

}  // namespace wavegrid
