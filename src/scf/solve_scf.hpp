// The self-consistency loop.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "fft/field_exchange.hpp"
#include "scf/mixer.hpp"
#include "scf/occupied_states.hpp"
#include "terms/density_symmetriser.hpp"
#include "terms/effective_potential.hpp"
#include "terms/energies.hpp"

namespace wavegrid {

struct ScfOptions {
  std::optional<Eigensolver> eigensolver = std::nullopt;  ///< none: chosen by choose_eigensolver
  double energy_tolerance = 1e-7;  ///< Ha; the estimated error of the free energy falls below it (decision 0002)
  int max_steps = 60;
  MixerOptions mixer;
};

struct ScfResult;

/// What an observer sees after each step. The same on all ranks.
struct ScfStep {
  int step = 0;
  double free_energy = 0;                             ///< Ha, of the output density
  double error_estimate = 0;                          ///< Ha: 2 sum_i f_i |R_i|^2 + E_H[rho_out - rho_in]
  Index h_applications = 0;                           ///< so far, of all k-points
  std::optional<double> total_moment = std::nullopt;  ///< electrons, with spin
  bool single_precision = false;                      ///< then the energy is rough, by some 1e-6 of its largest terms
};
/// Called on every rank; throwing from it ends the loop on that rank alone, so throw on all or none.
using ScfObserver = std::function<void(const ScfStep&)>;

/// What a loop can be resumed from, the same on all ranks but for the density.
struct ScfState {
  const ScfResult& result;          ///< of the last step
  const SpinCoefficients& density;  ///< in whose potential the bands go on; this rank's G of the box
};
enum class AfterStep { go_on, stop };
/// Called on every rank after each step that has not ended the loop; the same answer on all ranks. May be collective.
using ScfWatch = std::function<AfterStep(const ScfState&)>;

/// Bands at the end of a loop, converged or out of steps: those in ScfSystem, filled as `result` says.
struct ScfEnd {
  const ScfResult& result;
  const SpinCoefficients& density;  ///< of the bands, symmetrised
  const SpinFields& potential;      ///< Ha, in which they were found: that of the input density
};
/// Called once on every rank after the last step, not where a watch stopped the loop. May be collective.
using ScfEnding = std::function<void(const ScfEnd&)>;

/// The magnetisation of the cell, electrons.
struct Magnetisation {
  double total = 0;     ///< int m
  double absolute = 0;  ///< int |m|
};

/// Not converged is a state, not an error. Arrays over states are ordered k-point, spin, band.
struct ScfResult {
  bool converged = false;
  bool stopped = false;  ///< by a watch
  int steps = 0;
  double error_estimate = 0;  ///< Ha
  int recovered_states = 0;   ///< missed states that the final check found and put right
  Energies energies;
  std::vector<double> fermi;        ///< Ha; one, or with a fixed moment up and down
  bool too_few_bands = false;       ///< the highest band is still occupied
  std::vector<double> eigenvalues;  ///< Ha, rising within a k-point and spin
  std::vector<double> residuals;    ///< |H psi - eps psi| of each state, Ha; the error of eps is of its second order
  std::vector<double> filling;      ///< electrons per state, weights included
  Magnetisation magnetisation;
};

/// The parts that do not change from step to step.
template <class S>
struct ScfSystem {
  const ProcessGroups& levels;
  MyBands<S>& bands;  ///< of this rank's k-group
  GridFft& grid;      ///< over all ranks
  EffectivePotential& potential;
  FieldExchange& fields;
  DensitySymmetriser& symmetriser;
  Electrons electrons;
  std::vector<double> k_weights;  ///< of all k-points, adding up to 1
  Index bands_per_k = 0;
  double ewald = 0;  ///< Ha
  double core = 0;   ///< Ha
};

/// Ha per electron: above this, rounding in single precision does not hold up convergence (measured: it stops at
/// 2e-13 for Si2, 7e-12 for a distorted Al32; decision 0006).
inline constexpr double single_precision_reach = 1e-11;

/// What a loop in single precision leaves, beside bands and density, for one in double precision.
struct ScfApproach {
  Mixer mixer;
  bool converged = false;  ///< by its own estimate; then the density is the one in whose potential the bands stand
  int steps = 0;
  int recovered_states = 0;
  Index h_applications = 0;                         ///< of all k-points
  std::optional<ScfResult> stopped = std::nullopt;  ///< the last step's, where a watch ended the loop
};

/// What looks on while the loop goes its way.
struct ScfListeners {
  ScfObserver observer{};
  ScfWatch watch{};
  ScfEnding ending{};  ///< of a loop in double precision
};

/// Starts the bands of a k-point: called once for each, when its H is ready.
template <class S>
using BandStart = std::function<EigenState<S>(KPointBands<S>&)>;

/// Iterates density and bands to self-consistency from `density`, coefficients on this rank's G of the box, which
/// becomes the last output density, or where that is not self-consistent the next input, to go on from. Where bands are
/// there already, `start` is not called and they are taken over.
///
/// With an approach, X of all bands comes from it, HX need not, and steps are counted on from there. Bands that
/// converged are judged as they are, which takes one application of H; then, and always where they had not converged,
/// the loop goes on until the tolerance holds.
///
/// The free energy is the Kohn-Sham functional of the output bands and their density, an upper bound with an error of
/// second order. Collective over all ranks, which follow the same path.
template <class S>
[[nodiscard]] ScfResult solve_scf(ScfSystem<S> system, SpinCoefficients& density, const BandStart<S>& start,
                                  const ScfOptions& options, const ScfListeners& listeners = {},
                                  std::optional<ScfApproach> approach = std::nullopt);

/// The same loop in single precision, for bands and a density that solve_scf then takes over. It ends where its error
/// estimate meets the tolerance, where that has not halved in a few steps (rounding, or a hard case: leaving early
/// costs time alone), or one step before options.max_steps. Collective over all ranks.
template <class S>
[[nodiscard]] ScfApproach approach_scf(ScfSystem<S> system, SpinCoefficients& density, const BandStart<S>& start,
                                       const ScfOptions& options, const ScfListeners& listeners = {});

}  // namespace wavegrid
