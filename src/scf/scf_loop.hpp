// The steps of the self-consistency loop (solve_scf.hpp).
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <wavegrid/scf/convergence_check.hpp>
#include <wavegrid/scf/density_error.hpp>
#include <wavegrid/scf/earlier_steps.hpp>
#include <wavegrid/scf/electron_solver.hpp>
#include <wavegrid/scf/energy_functional.hpp>
#include <wavegrid/scf/observed_decreases.hpp>
#include <wavegrid/scf/scf_listeners.hpp>
#include <wavegrid/scf/scf_options.hpp>
#include <wavegrid/scf/single_precision.hpp>

namespace wavegrid {

/// One run of the loop. Members are collective over all ranks.
template <FieldSpace Space>
class ScfLoop {
 public:
  /// Solver, density and options must outlive this object.
  ScfLoop(const EnergyFunctional<Space>& functional, ElectronSolver<Space>& solver, Density<Space>& density,
          const ScfOptions& options, std::optional<EarlierSteps<Space>> before)
      : functional_(functional),
        solver_(solver),
        options_(options),
        earlier_(before ? std::move(*before)
                        : EarlierSteps<Space>{.mixer = functional.mixer(options.mixer),
                                              .stagnation = Stagnation(options.may_change_preconditioner)}),
        convergence_(options_, functional.electrons),
        at_{density} {
    complete(functional_, density);
    at_.potential = earlier_.potential ? std::move(*earlier_.potential) : potential_of(density);
    earlier_.potential.reset();
  }

  ScfResult run(const ScfListeners<Space>& listeners) {
    ScfResult result = initial_result();
    solver_.begin(at_, result);
    for (bool improving = !earlier_.converged;
         result.steps < options_.max_steps && !result.converged && !result.stopped; improving = true) {
      step(result, improving, listeners.step);
      if (convergence_.asks_for_bands(result)) break;
      if (listeners.ending && (result.converged || result.steps == options_.max_steps))
        listeners.ending({result, output(), at_.potential.potential, &solver_});
      if (result.converged) break;
      take_next(result);
      result.stopped = wants_to_stop(result, listeners.watch);
    }
    if (result.converged && !solver_.is_self_consistent() && !options_.fixed_density)
      at_.density = std::move(solver_.density().fields);
    result.moment_limited = result.moment_limited && convergence_.lacks_bands(result);
    result.converged = result.converged && !result.too_few_bands;
    result.h_applications = applications_so_far();
    return result;
  }

  EarlierSteps<Space> run_single_stage(const ScfListeners<Space>& listeners) {
    ScfResult result = initial_result();
    solver_.begin(at_, result);
    StagnationCounter counter;
    while (result.steps + 1 < options_.max_steps && single_precision_falls(counter, functional_.electrons)) {
      step(result, true, listeners.step);
      if (convergence_.asks_for_bands(result) || result.converged) break;
      const bool changed = take_next(result);
      result.stopped = wants_to_stop(result, listeners.watch);
      if (result.stopped) break;
      if (changed) counter.reset();
      counter.count(result.error_estimate);
    }
    earlier_.converged = result.converged && !convergence_.asks_for_bands(result);
    if (result.converged) {  // the next loop begins with the same density
      earlier_.mixer.forget_latest();
      earlier_.potential = std::move(at_.potential);
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

  [[nodiscard]] bool wants_to_stop(const ScfResult& result, const ScfWatch<Space>& watch) const {
    return watch && watch({result, at_.density}) == AfterStep::stop;
  }

  /// One step; electrons that have converged already are evaluated only, which does not count as a step.
  void step(ScfResult& result, bool improving, const ScfStepListener<Space>& listener) {
    if (improving) ++result.steps;
    evaluate(result, improving ? solver_.solve(at_, result) : solver_.evaluate(at_, result));
    if (!solver_.is_self_consistent() && !options_.fixed_density) propose(result);
    convergence_.update(result);
    const bool at_rounding = !solver_.is_single_precision() && convergence_.is_at_rounding(result);
    if (needs_correction(result)) correct_estimate(result);
    const bool small = result.error_estimate < options_.energy_tolerance;
    const bool may_end = (small || at_rounding) && solver_.is_reliable();
    const bool is_last = result.steps == options_.max_steps;
    if (may_end || is_last) solver_.finish_energies(at_, result, result.energies);
    decreases_.add(result.energies.free(), result.error_estimate);
    if (listener) listener({step_of(result), result, at_.density, at_.potential.potential});
    if (!may_end && !is_last) return;
    const bool verified = solver_.verify(at_, result, may_end);
    result.converged = may_end && verified;
    result.at_rounding = result.converged && !small;
    if (verified || !may_end || !is_last) return;
    evaluate(result, solver_.evaluate(at_, result));  // no further step will do this for better electrons
    solver_.finish_energies(at_, result, result.energies);
  }

  [[nodiscard]] ScfStep step_of(const ScfResult& result) const {
    ScfStep step{result.steps, result.energies.free(), result.error_estimate, applications_so_far(),
                 solver_.num_bands()};
    if (at_.density.n.size() > 1) step.total_magnetisation = result.magnetisation.total;
    step.single_precision = solver_.is_single_precision();
    // E_xc to first order is wrong by a part of the energy of the step: a quarter at most, on 42 systems.
    if (step.single_precision) step.rounding = single_rounding(result.energies) + errors_.density;
    return step;
  }
  /// Of H, earlier steps included.
  [[nodiscard]] Index applications_so_far() const { return earlier_.last.h_applications + solver_.applications(); }

  /// Takes the errors of the present electrons; computes their energies and the magnetisation.
  void evaluate(ScfResult& result, const ElectronErrors& errors) {
    errors_ = errors;
    result.error_estimate = errors.electrons + errors.density;
    const ElectronDensity<Space>& found = solver_.density();
    if (has_vector(found.values.n))
      result.magnetisation = vector_magnetisation(found.values.n);
    else if (functional_.spins == 2)
      result.magnetisation = magnetisation(found.values.n[1]);
    std::optional<TermEnergies> terms = options_.fixed_density ? fixed_energies() : solver_.term_energies(at_);
    if (!terms) terms = functional_.terms.energies(found.view());
    result.energies = all_energies(solver_.energies(result), *terms);
  }

  /// Those of the density that stays, and what they change to first order with the density of the bands:
  ///   E = E[n] + int V (n' - n) in addition to the energies of the bands, M. Weinert and
  ///   others, 10.1103/PhysRevB.32.2115
  [[nodiscard]] TermEnergies fixed_energies() const {
    const DensityValues none;  // of the terms that are not quadratic the potential knows the energy
    TermEnergies found = functional_.terms.energies({at_.density, none}, at_.potential);
    found["density_change"] = solver_.density().potential_energy - at_.potential.integral;
    return found;
  }

  [[nodiscard]] Magnetisation vector_magnetisation(const SpinFields& n) const {
    Magnetisation found;
    for (std::size_t axis = 0; axis < 3; ++axis)
      found.vector[axis] = functional_.space.integrate([&](std::size_t i) { return n[axis + 1][i]; });
    found.total = norm(found.vector);
    found.absolute = functional_.space.integrate([&](std::size_t i) { return moment_length(n, i); });
    return found;
  }
  [[nodiscard]] Magnetisation magnetisation(const FieldValues& m) const {
    return {functional_.space.integrate([&](std::size_t i) { return m[i]; }),
            functional_.space.integrate([&](std::size_t i) { return std::abs(m[i]); })};
  }

  /// Computes the next input density, and from it the error estimate of this step.
  void propose(ScfResult& result) {
    Mixer<Space>& mixer = earlier_.mixer;
    const Density<Space>&input = at_.density, &output = solver_.density().fields;
    const bool by_ldos = mixer.options().preconditioner.kind == PreconditionerKind::ldos;
    const double electron_error_ratio = errors_.density > 0 ? errors_.electrons / errors_.density : 0.0;
    next_ = mixer.next(input, output, electron_error_ratio,
                       by_ldos ? solver_.local_density_of_states(result) : FieldValues{});
    if (mixer.knows_response())
      result.error_estimate =
          errors_.electrons + output_error(errors_.density, functional_.terms.change_energy(next_, output),
                                           functional_.terms.change_energy(input, next_));
  }

  /// The energy of a change that mixing and the estimate know is electrostatic. What else the energy depends on, tau,
  /// a magnetisation and matrices, may leave modes whose energy is much smaller, along which the loop is slow and moves
  /// little: the estimate is corrected where it would end the loop.
  [[nodiscard]] bool needs_correction(const ScfResult& result) const {
    const bool has_more =
        functional_.terms.needs_tau() || functional_.terms.needs_matrices() || at_.density.n.size() > 1;
    return has_more && !options_.fixed_density && !solver_.is_self_consistent() && !solver_.is_single_precision() &&
           result.error_estimate < options_.energy_tolerance;
  }
  /// Replaces the estimate by (1/2) <output - next, V(output) - V(input)>, in which `next` is what mixing proposes, if
  /// that is larger (density_error.hpp, with the derivative of all terms in place of K), and by what earlier steps say:
  /// energies, and along a mode to which the electrons hardly answer how much farther than output - input it goes.
  void correct_estimate(ScfResult& result) {
    constexpr double slow = 3;  // of Mixer::slowness()
    const ElectronDensity<Space>& output = solver_.density();
    const Potential at_output = functional_.terms.potential(output.view());
    const auto energy_from = [&](const Density<Space>& density) {
      const DensityValues from = density_values(functional_.space, density);
      const Potential& at_input = at_.potential.potential;
      return 0.5 * std::abs(functional_.terms.change_product(at_input, at_output, from, output.values));
    };
    double estimate = std::max(result.error_estimate, errors_.electrons + energy_from(next_));
    const double slowness = earlier_.mixer.slowness();
    if (slowness > slow) estimate = std::max(estimate, errors_.electrons + slowness * energy_from(at_.density));
    result.error_estimate = decreases_.corrected(result.energies.free(), estimate);
  }

  /// Takes the proposed density as input, with its potential. Where the error does not fall the method of mixing
  /// changes: whether it did.
  bool take_next(ScfResult& result) {
    if (solver_.is_self_consistent() || options_.fixed_density) return false;
    at_.density = std::move(next_);
    at_.potential = potential_of(at_.density);
    solver_.potential_changed(at_.potential.potential);
    if (!earlier_.stagnation.update(result.error_estimate)) return false;
    auto [options, what] = earlier_.stagnation.next(earlier_.mixer.options());
    earlier_.mixer.restart(options);
    result.changes.push_back({result.steps, std::move(what)});
    return true;
  }

  [[nodiscard]] LinearPotential potential_of(const Density<Space>& density) const {
    const DensityValues values = density_values(functional_.space, density);
    return functional_.terms.linear_potential({density, values});
  }

  /// The density of the electrons.
  [[nodiscard]] const Density<Space>& output() {
    return solver_.is_self_consistent() ? at_.density : solver_.density().fields;
  }

  EnergyFunctional<Space> functional_;
  ElectronSolver<Space>& solver_;
  const ScfOptions& options_;
  EarlierSteps<Space> earlier_;  ///< results of an earlier loop, if any, and the mixer
  ConvergenceCheck convergence_;
  ScfPoint<Space> at_;     ///< the input density
  Density<Space> next_;    ///< the proposed input density
  ElectronErrors errors_;  ///< of the present electrons
  ObservedDecreases decreases_;
};

}  // namespace wavegrid
