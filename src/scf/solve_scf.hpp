// The self-consistency loop.
#pragma once

#include "scf/scf_loop.hpp"

namespace wavegrid {

/// Iterates density and bands to self-consistency from `density`. On return this is the last output density if the loop
/// has converged, otherwise the next input density. For bands that exist already `start` is not called: their X is
/// used, HX, SX and Ritz values are computed again, and if they are fewer than `bands_per_k` the lowest states of their
/// complement are added.
///
/// After `earlier` steps in single precision, X of all bands comes from them (HX is not needed), and they are counted.
/// Bands that converged there are first evaluated as they are, which takes one application of H. The loop then
/// continues until the tolerance is met, or, for a tolerance below the rounding of the energy, until the error estimate
/// is below that rounding and no longer falls.
///
/// If the highest band stays occupied and the options ask for bands, the loop ends early with `too_few_bands`; if they
/// do not, it ends as any other, but has not converged.
///
/// The free energy is the Kohn-Sham functional of the output bands and their density, an upper bound with an error of
/// second order. Collective over all ranks, which follow the same path.
template <class S, FieldSpace Space>
[[nodiscard]] ScfResult solve_scf(ScfSystem<S, Space> system, Density<Space>& density, const BandStart<S>& start,
                                  const ScfOptions& options, const ScfListeners<Space>& listeners = {},
                                  std::optional<EarlierSteps<Space>> earlier = std::nullopt) {
  return ScfLoop<S, Space>(system, density, start, options, std::move(earlier)).run(listeners);
}

/// The same loop in single precision, for bands and a density that solve_scf then takes over. It ends when its error
/// estimate meets the tolerance, when the estimate has not halved within a few steps (because of rounding or slow
/// convergence; ending early costs time only), or one step before options.max_steps. Collective over all ranks.
template <class S, FieldSpace Space>
[[nodiscard]] EarlierSteps<Space> solve_single_stage(ScfSystem<S, Space> system, Density<Space>& density,
                                                     const BandStart<S>& start, const ScfOptions& options,
                                                     const ScfListeners<Space>& listeners = {},
                                                     std::optional<EarlierSteps<Space>> earlier = std::nullopt) {
  return ScfLoop<S, Space>(system, density, start, options, std::move(earlier)).run_single_stage(listeners);
}

}  // namespace wavegrid
