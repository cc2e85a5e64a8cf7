// What a self-consistency loop shows to those who watch it.
#pragma once

#include <functional>
#include <optional>

#include <wavegrid/fields/density.hpp>
#include <wavegrid/fields/field_space.hpp>
#include <wavegrid/scf/scf_result.hpp>

namespace wavegrid {

/// What an observer sees after each step. The same on all ranks.
struct ScfStep {
  int step = 0;
  double free_energy = 0;     ///< Ha, of the output density
  double error_estimate = 0;  ///< Ha, of the bands (BandErrors) and the density (output_error)
  Index h_applications = 0;   ///< so far, of all k-points
  Index bands = 0;            ///< per k-point and spin
  std::optional<double> total_magnetisation = std::nullopt;  ///< electrons, with spin
  bool single_precision = false;
  double rounding =
      0;  ///< Ha; in single precision, bound on the error of free_energy by rounding and by E_xc to first order
};
/// Called on every rank; throwing from it ends the loop on that rank alone, so throw on all or none.
using ScfObserver = std::function<void(const ScfStep&)>;

/// What a step has found, and in what. The same on all ranks except for the fields.
template <FieldSpace Space>
struct ScfStepState {
  ScfStep step;
  const ElectronStates& states;   ///< of the bands in ScfSystem, whose operators have the potential
  const Density<Space>& density;  ///< in whose potential the step has found them: of a minimiser their own
  const Potential& potential;     ///< of that density
};
/// Called on every rank after each step. May be collective.
template <FieldSpace Space>
using ScfStepListener = std::function<void(const ScfStepState<Space>&)>;

/// The state from which a loop can be resumed, the same on all ranks except for the density.
template <FieldSpace Space>
struct ScfState {
  const ScfResult& result;        ///< of the last step
  const Density<Space>& density;  ///< the next input density
};
enum class AfterStep { go_on, stop };
/// Called on every rank after each step that has not ended the loop; the same answer on all ranks. May be collective.
template <FieldSpace Space>
using ScfWatch = std::function<AfterStep(const ScfState<Space>&)>;

template <FieldSpace Space>
class ElectronSolver;

/// Bands at the end of a loop, converged or out of steps: those in ScfSystem, occupied as `result` says.
template <FieldSpace Space>
struct ScfEnd {
  const ScfResult& result;
  const Density<Space>& density;            ///< of the bands, symmetrised
  const Potential& potential;               ///< in which they were found: that of the input density
  ElectronSolver<Space>* solver = nullptr;  ///< that found them; null: not known
};
/// Called once on every rank after the last step, not where a watch stopped the loop. May be collective.
template <FieldSpace Space>
using ScfEnding = std::function<void(const ScfEnd<Space>&)>;

/// Callbacks of the loop.
template <FieldSpace Space>
struct ScfListeners {
  ScfStepListener<Space> step{};
  ScfWatch<Space> watch{};
  ScfEnding<Space> ending{};  ///< of a loop in double precision
};

}  // namespace wavegrid
