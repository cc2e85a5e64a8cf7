// The steps of the self-consistency loop (solve_scf.hpp).
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "scf/band_accuracy.hpp"
#include "scf/convergence_check.hpp"
#include "scf/density_error.hpp"
#include "scf/loop_bands.hpp"
#include "scf/loop_potential.hpp"

namespace wavegrid {

/// One run of the loop. Members are collective over all ranks.
template <class S, FieldSpace Space>
class ScfLoop {
 public:
  ScfLoop(ScfSystem<S, Space>& system, Density<Space>& density, const BandStart<S>& start, const ScfOptions& options,
          std::optional<EarlierSteps<Space>> before)
      : system_(system),
        options_(options),
        earlier_(before ? std::move(*before)
                        : EarlierSteps<Space>{.mixer = {system.space, options.mixer},
                                              .stagnation = Stagnation(options.may_change_preconditioner)}),
        bands_(system, options.energy_tolerance),
        potential_(system),
        accuracy_(options.many_bands, options.energy_tolerance),
        convergence_(options_, system.electrons.count),
        density_(density) {
    complete(system_, density_);
    if (earlier_.potential)
      potential_.set(std::move(*earlier_.potential));
    else
      potential_.set(density_);
    earlier_.potential.reset();
    bands_.begin(start, potential_.operator_points());
  }

  ScfResult run(const ScfListeners<Space>& listeners) {
    ScfResult result = initial_result();
    for (bool improving = !earlier_.converged;
         result.steps < options_.max_steps && !result.converged && !result.stopped; improving = true) {
      step(result, improving, listeners.observer);
      if (convergence_.asks_for_bands(result)) break;
      if (listeners.ending && (result.converged || result.steps == options_.max_steps))
        listeners.ending({result, bands_.output().fields, potential_.linear().potential});
      if (result.converged) break;
      take_next();
      change_method(result);
      result.stopped = wants_to_stop(result, listeners.watch);
    }
    if (result.converged) density_ = std::move(bands_.output().fields);
    result.converged = result.converged && !result.too_few_bands;
    result.h_applications = applications_so_far();
    return result;
  }

  EarlierSteps<Space> run_single_stage(const ScfListeners<Space>& listeners) {
    ScfResult result = initial_result();
    StagnationCounter counter;
    while (result.steps + 1 < options_.max_steps && single_precision_falls(counter, system_.electrons.count)) {
      step(result, true, listeners.observer);
      if (convergence_.asks_for_bands(result) || result.converged) break;
      take_next();
      result.stopped = wants_to_stop(result, listeners.watch);
      if (result.stopped) break;
      if (change_method(result)) counter.reset();
      counter.count(result.error_estimate);
    }
    earlier_.converged = result.converged && !convergence_.asks_for_bands(result);
    if (result.converged) {  // the next loop begins with the same density
      earlier_.mixer.forget_latest();
      earlier_.potential = potential_.release();
    }
    result.converged = false;
    result.h_applications = applications_so_far();
    earlier_.last = std::move(result);
    return std::move(earlier_);
  }

 private:
  /// The result before the first step: the counts of earlier steps.
  [[nodiscard]] ScfResult initial_result() const {
    ScfResult result;
    result.steps = earlier_.last.steps;
    result.recovered_states = earlier_.last.recovered_states;
    result.changes = earlier_.last.changes;
    return result;
  }

  /// Changes the method of mixing where the error does not fall; whether it did.
  bool change_method(ScfResult& result) {
    if (!earlier_.stagnation.update(result.error_estimate)) return false;
    auto [options, what] = earlier_.stagnation.next(earlier_.mixer.options());
    earlier_.mixer.restart(options);
    result.changes.push_back({result.steps, std::move(what)});
    return true;
  }

  [[nodiscard]] bool wants_to_stop(const ScfResult& result, const ScfWatch<Space>& watch) const {
    return watch && watch({result, density_}) == AfterStep::stop;
  }

  /// One step; bands that have converged already are evaluated only, which does not count as a step.
  void step(ScfResult& result, bool improving, const ScfObserver& observer) {
    if (improving) ++result.steps;
    if (improving) bands_.improve();
    fill(result);
    if (improving) make_accurate(result);
    evaluate(result);
    propose(result);
    convergence_.update(result);
    const bool at_rounding = !is_single<S> && convergence_.is_at_rounding(result);
    const bool small = result.error_estimate < options_.energy_tolerance;
    const bool may_end = (small || at_rounding) && bands_.all_reliable();
    const bool is_last = result.steps == options_.max_steps;
    if (may_end || is_last) finish_energies(result);
    if (observer) observer(step_of(result));
    if (!may_end) return;
    if (hpsi_inconsistent(result)) return bands_.orthonormalise_all();
    result.at_rounding = !small;
    // If single precision has already searched for missed states, the search is not repeated.
    const int found = earlier_.converged ? 0 : bands_.recover(result);
    result.converged = found == 0;
    result.recovered_states += found;
    if (found == 0 || !is_last) return;
    fill(result);  // no further step will do this for the recovered bands
    evaluate(result);
    finish_energies(result);
  }

  [[nodiscard]] ScfStep step_of(const ScfResult& result) const {
    ScfStep step{result.steps, result.energies.free(), result.error_estimate, applications_so_far(),
                 system_.bands_per_k};
    if (system_.electrons.spins == 2) step.total_magnetisation = result.magnetisation.total;
    step.single_precision = is_single<S>;
    // E_xc to first order is wrong by a part of the energy of the step: a quarter at most, on 42 systems.
    if (is_single<S>) step.rounding = single_rounding(result.energies) + density_error_;
    return step;
  }
  /// Of H, by all k-points, earlier steps included.
  [[nodiscard]] Index applications_so_far() const { return earlier_.last.h_applications + bands_.applications(); }

  /// More rounds until the bands are as accurate as their density needs; in between, occupations and the error of the
  /// density are those of the first round.
  void make_accurate(ScfResult& result) {
    accuracy_.begin_step(density_error_);
    if (!accuracy_.next_round(bands_.error(), density_error_)) return;
    do {
      bands_.improve();
      bands_.estimate_errors(result, density_error_);
    } while (accuracy_.next_round(bands_.error(), density_error_));
    fill(result);
  }

  /// Computes occupations, output density and the error estimate of the present bands.
  void fill(ScfResult& result) {
    bands_.occupy(result, potential_.linear().potential);
    density_error_ = change_energy(system_.space, density_.n, bands_.output().fields.n);
    bands_.estimate_errors(result, density_error_);
  }

  /// Computes energies and magnetisation of the present bands and their density. In single precision E_xc is taken to
  /// first order: half the time on the grid.
  void evaluate(ScfResult& result) {
    result.magnetisation = bands_.magnetisation();
    const BandDensity<Space>& output = bands_.output();
    const TermEnergies density_energies =
        is_single<S> && !is_one_spin_empty(result)
            ? system_.terms.energies_near(density_, potential_.linear(), output.fields, output.energy)
            : system_.terms.energies(output.view());
    result.energies = bands_.energies(result, density_energies);
  }

  /// Whether all electrons have one spin: the potential of the other diverges (Xc::evaluate), and E_xc is not linear.
  [[nodiscard]] bool is_one_spin_empty(const ScfResult& result) const {
    return system_.electrons.spins == 2 && std::abs(result.magnetisation.total) > 0.99 * system_.electrons.count;
  }

  /// Computes the nonlocal energy from the bands themselves and compares it with the value from the eigenvalues.
  /// Energies of single precision are not reported.
  void finish_energies(ScfResult& result) {
    if (is_single<S>) return;
    const double nonlocal = bands_.nonlocal_energy(result);
    result.hpsi_deviation = nonlocal - result.energies.at("nonlocal");
    result.energies["nonlocal"] = nonlocal;
  }

  /// Whether H psi, as the solvers have updated it, gives another nonlocal energy than the bands do.
  [[nodiscard]] bool hpsi_inconsistent(const ScfResult& result) const {
    const double limit = std::max(options_.energy_tolerance, 1e-9 * system_.electrons.count);
    return !(std::abs(result.hpsi_deviation) <= limit);
  }

  /// Computes the next input density, and from it the error estimate of this step.
  void propose(ScfResult& result) {
    Mixer<Space>& mixer = earlier_.mixer;
    const Density<Space>& output = bands_.output().fields;
    const bool by_ldos = mixer.options().preconditioner.kind == PreconditionerKind::ldos;
    const double band_error_ratio = density_error_ > 0 ? bands_.error() / density_error_ : 0.0;
    next_ = mixer.next(density_, output, band_error_ratio,
                       by_ldos ? bands_.sums().local_density_of_states(result) : FieldValues{});
    if (mixer.knows_response())
      result.error_estimate =
          bands_.error() + output_error(system_.space, density_error_, density_.n, output.n, next_.n);
  }

  /// Takes the proposed density as input, with its potential, and updates the bands for it.
  void take_next() {
    density_ = std::move(next_);
    const auto change = potential_.change_to(density_);
    for (KohnShamBands<S>* bands : system_.bands)
      bands->solver.potential_changed(bands->op, bands->state, change[static_cast<std::size_t>(bands->spin)]);
  }

  ScfSystem<S, Space>& system_;
  const ScfOptions& options_;
  EarlierSteps<Space> earlier_;  ///< results of an earlier loop, if any, and the mixer
  LoopBands<S, Space> bands_;
  LoopPotential<S, Space> potential_;  ///< of the input density
  BandAccuracy accuracy_;
  ConvergenceCheck convergence_;
  Density<Space>& density_;
  Density<Space> next_;       ///< the proposed input density
  double density_error_ = 0;  ///< Ha, of the present bands' density
};

}  // namespace wavegrid
