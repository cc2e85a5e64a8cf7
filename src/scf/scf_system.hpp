// The objects, options and results of a self-consistency loop.
#pragma once

#include <cmath>
#include <functional>
#include <optional>
#include <vector>

#include "fields/energy_terms.hpp"
#include "fields/model_tau.hpp"
#include "scf/energies.hpp"
#include "scf/kohn_sham_bands.hpp"
#include "scf/mixer.hpp"
#include "scf/stagnation.hpp"

namespace wavegrid {

/// How the self-consistent density is found.
enum class ScfMethod {
  mixing,  ///< bands of a density, and a next density by mixing (solve_scf)
  direct,  ///< the energy is minimised over the bands (solve_direct); fixed occupations only
};

/// The name used in input and output, such as "direct".
[[nodiscard]] constexpr const char* name_of(ScfMethod method) {
  return method == ScfMethod::direct ? "direct" : "mixing";
}

struct ScfOptions {
  ScfMethod method = ScfMethod::mixing;
  double energy_tolerance = 1e-7;  ///< Ha; the estimated error of the free energy falls below it (decision 0002)
  int max_steps = 60;
  MixerOptions mixer;
  bool many_bands = false;                 ///< little accuracy of bands in the first steps (BandAccuracy)
  bool may_change_preconditioner = false;  ///< where the loop stagnates (Stagnation)
  /// End early if the highest band stays occupied, or full with a free moment: the caller adds bands and continues.
  bool asks_for_bands = false;
};

/// The objects that a loop uses, for one k-point group; S is the scalar of its bands.
template <class S, FieldSpace Space>
struct ScfSystem {
  const ProcessGroups& groups;
  BandList<S> bands;  ///< of this rank's k-point group
  Space& space;       ///< over all ranks
  EnergyTerms<Space>& terms;
  Electrons electrons;
  std::vector<double> k_weights;  ///< of all k-points, adding up to 1
  Index bands_per_k = 0;

  [[nodiscard]] StateTable table() const {
    return {static_cast<Index>(k_weights.size()), electrons.spins, bands_per_k};
  }
};

/// Gives a density that has no kinetic-energy density, where the functional needs one, that of a model (model_tau.hpp).
/// Collective over all ranks.
template <class S, FieldSpace Space>
void complete(ScfSystem<S, Space>& system, Density<Space>& density) {
  if (system.terms.needs_tau() && density.tau.empty()) density.tau = model_tau<Space>(system.space, density.n);
}

/// The magnetisation of the cell, electrons.
struct Magnetisation {
  double total = 0;     ///< int m
  double absolute = 0;  ///< int |m|
};

/// A loop that has not converged is no error. Arrays over states are ordered k-point, spin, band.
struct ScfResult {
  bool converged = false;          ///< never if there are too few bands
  bool stopped = false;            ///< by a watch
  bool at_rounding = false;        ///< converged to the rounding of the energy, not to the tolerance, which is below it
  int steps = 0;                   ///< the evaluation in double precision of bands that converged in single is none
  Index h_applications = 0;        ///< of all k-points and steps
  double error_estimate = 0;       ///< Ha
  std::vector<ScfChange> changes;  ///< of method, where the loop stagnated
  int recovered_states = 0;        ///< missed states that the final check found and added
  Energies energies;
  /// Ha; difference between <psi|V_nl|psi> of the final bands and its value from the eigenvalues: a check of the H psi
  /// that the solvers keep. 0 where a watch stopped the loop.
  double hpsi_deviation = 0;
  std::vector<double> fermi;        ///< Ha; one, or with a fixed moment up and down
  bool too_few_bands = false;       ///< the highest band is still occupied
  bool moment_limited = false;      ///< fixed occupations, free moment: the highest band of a spin is full
  Index enough_bands = 0;           ///< where more are wanted: an estimate of the number needed
  std::vector<double> eigenvalues;  ///< Ha, ascending within a k-point and spin
  std::vector<double> residuals;    ///< |H psi - eps psi| of each state, Ha; the error of eps is of second order in it
  std::vector<double> occupations;  ///< electrons per state, weights included
  Magnetisation magnetisation;

  [[nodiscard]] bool wants_bands() const { return too_few_bands || moment_limited; }
};

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

/// Bands at the end of a loop, converged or out of steps: those in ScfSystem, occupied as `result` says.
template <FieldSpace Space>
struct ScfEnd {
  const ScfResult& result;
  const Density<Space>& density;  ///< of the bands, symmetrised
  const Potential& potential;     ///< in which they were found: that of the input density
};
/// Called once on every rank after the last step, not where a watch stopped the loop. May be collective.
template <FieldSpace Space>
using ScfEnding = std::function<void(const ScfEnd<Space>&)>;

/// Callbacks of the loop.
template <FieldSpace Space>
struct ScfListeners {
  ScfObserver observer{};
  ScfWatch<Space> watch{};
  ScfEnding<Space> ending{};  ///< of a loop in double precision
};

/// Returns the initial bands of a k-point: called once for each, when its H is ready.
template <class S>
using BandStart = std::function<EigenState<S>(KohnShamBands<S>&)>;

/// Ha per electron: above this, rounding in single precision does not prevent convergence (measured: it stops at
/// 2e-13 for Si2, 7e-12 for a distorted Al32; decision 0006).
inline constexpr double single_precision_reach = 1e-11;

/// Ha: more than the error that rounding in single precision leaves in the free energy. It is systematic (norms,
/// transforms) and grows with the energies of the electrons: measured at 3e-10 to 1.2e-7 of their sum.
[[nodiscard]] inline double single_rounding(const Energies& energies) {
  double sum = 0;
  for (const auto& [name, energy] : energies)
    if (name != "ion_ion" && name != "local_g0" && name != "entropy") sum += std::abs(energy);
  return 5e-7 * sum;
}

/// What a loop passes on to the next one, in addition to bands and density: from single to double precision, or after
/// bands were added.
template <FieldSpace Space>
struct EarlierSteps {
  Mixer<Space> mixer;
  Stagnation stagnation;
  bool converged = false;  ///< by its own estimate; then the bands belong to the potential of the density
  ScfResult last{};        ///< of its last step, if there was one
  std::optional<LinearPotential> potential = std::nullopt;  ///< of the density, if it is known
};

}  // namespace wavegrid
