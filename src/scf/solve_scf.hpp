// The self-consistency loop.
#pragma once

#include "scf/scf_loop.hpp"

namespace wavegrid {

/// Iterates density and bands to self-consistency from `density`, which becomes the last output density, or where that
/// is not self-consistent the next input, to go on from. Where bands are there already, `start` is not called: they
/// are taken over, images and Ritz values made anew.
///
/// With a single stage, X of all bands comes from it, HX need not, and steps are counted on from there. Bands that
/// converged are evaluated as they are, which takes one application of H; then, and always where they had not
/// converged, the loop goes on until the tolerance holds.
///
/// The free energy is the Kohn-Sham functional of the output bands and their density, an upper bound with an error of
/// second order. Collective over all ranks, which follow the same path.
template <class S, FieldSpace Space>
[[nodiscard]] ScfResult solve_scf(ScfSystem<S, Space> system, SpinComponents<Space>& density, const BandStart<S>& start,
                                  const ScfOptions& options, const ScfListeners<Space>& listeners = {},
                                  std::optional<SingleStage<Space>> single_stage = std::nullopt) {
  return ScfLoop<S, Space>(system, density, start, options, std::move(single_stage)).run(listeners);
}

/// The same loop in single precision, for bands and a density that solve_scf then takes over. It ends where its error
/// estimate meets the tolerance, where that has not halved in a few steps (rounding, or a hard case: leaving early
/// costs time alone), or one step before options.max_steps. Collective over all ranks.
template <class S, FieldSpace Space>
[[nodiscard]] SingleStage<Space> solve_single_stage(ScfSystem<S, Space> system, SpinComponents<Space>& density,
                                                    const BandStart<S>& start, const ScfOptions& options,
                                                    const ScfListeners<Space>& listeners = {}) {
  return ScfLoop<S, Space>(system, density, start, options, std::nullopt).run_single_stage(listeners);
}

}  // namespace wavegrid
