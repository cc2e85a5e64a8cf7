// The self-consistency loop.
#pragma once

#include <wavegrid/scf/scf_loop.hpp>

namespace wavegrid {

/// Iterates density and electrons to self-consistency from `density`. On return this is the last output density if the
/// loop has converged, otherwise the next input density. The method is that of the solver, such as
/// make_electron_solver() chooses it.
///
/// After `earlier` steps in single precision, the solver has the electrons that were found there, and the steps are
/// counted. Electrons that converged there are first evaluated as they are. The loop then continues until the tolerance
/// is met, or, for a tolerance below the rounding of the energy, until the error estimate is below that rounding and no
/// longer falls.
///
/// If the highest band stays occupied and the options ask for bands, the loop ends early with `too_few_bands`; if they
/// do not, it ends as any other, but has not converged.
///
/// The free energy is the Kohn-Sham functional of the output electrons and their density, an upper bound with an error
/// of second order. Collective over all ranks, which follow the same path.
template <FieldSpace Space>
[[nodiscard]] ScfResult solve_scf(const EnergyFunctional<Space>& functional, ElectronSolver<Space>& solver,
                                  Density<Space>& density, const ScfOptions& options,
                                  const ScfListeners<Space>& listeners = {},
                                  std::optional<EarlierSteps<Space>> earlier = std::nullopt) {
  return ScfLoop<Space>(functional, solver, density, options, std::move(earlier)).run(listeners);
}

/// The same loop in single precision, for electrons and a density that solve_scf then takes over. It ends when its
/// error estimate meets the tolerance, when the estimate has not halved within a few steps (because of rounding or slow
/// convergence; ending early costs time only), or one step before options.max_steps. Collective over all ranks.
template <FieldSpace Space>
[[nodiscard]] EarlierSteps<Space> solve_single_stage(const EnergyFunctional<Space>& functional,
                                                     ElectronSolver<Space>& solver, Density<Space>& density,
                                                     const ScfOptions& options,
                                                     const ScfListeners<Space>& listeners = {},
                                                     std::optional<EarlierSteps<Space>> earlier = std::nullopt) {
  return ScfLoop<Space>(functional, solver, density, options, std::move(earlier)).run_single_stage(listeners);
}

}  // namespace wavegrid
