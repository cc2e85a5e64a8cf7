// The steps of direct minimisation (solve_direct.hpp).
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "eigen/band_descent.hpp"
#include "scf/convergence_check.hpp"
#include "scf/density_error.hpp"
#include "scf/energy_decreases.hpp"
#include "scf/loop_bands.hpp"
#include "scf/loop_potential.hpp"
#include "scf/parabola.hpp"

namespace wavegrid {

/// One run of the minimisation. Members are collective over all ranks.
template <class S, FieldSpace Space>
class DirectLoop {
 public:
  DirectLoop(ScfSystem<S, Space>& system, Density<Space>& density, const BandStart<S>& start, const ScfOptions& options)
      : system_(system),
        options_(options),
        bands_(system, options.energy_tolerance),
        potential_(system),
        convergence_(options_, system.electrons.count),
        density_(density),
        descents_(system.bands.size()) {
    complete(system_, density_);
    potential_.set(density_);
    bands_.begin(start, potential_.operator_points());
    bands_.improve();  // in the initial potential
  }

  ScfResult run(const ScfListeners<Space>& listeners) {
    ScfResult result;
    bands_.occupy(result, potential_.linear().potential);
    begin(result);
    while (result.steps < options_.max_steps && !result.converged && !result.stopped) {
      step(result, listeners.observer);
      if (convergence_.asks_for_bands(result)) break;
      if (listeners.ending && (result.converged || result.steps == options_.max_steps))
        listeners.ending({result, density_, potential_.linear().potential});
      result.stopped = !result.converged && listeners.watch && listeners.watch({result, density_}) == AfterStep::stop;
    }
    result.h_applications = bands_.applications();
    return result;
  }

 private:
  /// A set of bands: its density, Ha of kinetic and nonlocal energy.
  struct Trial {
    BandDensity<Space> density;
    double kinetic = 0, nonlocal = 0;
  };

  /// Minimises from the present bands, whose occupations stay those of `result`.
  void begin(ScfResult& result) {
    for (std::size_t i = 0; i < descents_.size(); ++i) {
      const std::vector<double> f = occupations(result, i);
      const auto occupied = std::count_if(f.begin(), f.end(), [](double one) { return one > 0; });
      system_.bands[i]->solver.restart();
      descents_[i].begin(system_.bands[i]->state, static_cast<Index>(occupied));
    }
    slope_ = 0;
    decreases_.clear();
    Trial trial = measured(result);
    LinearPotential potential = potential_of(trial);
    accept_step(result, std::move(trial), std::move(potential));
  }

  void step(ScfResult& result, const ScfObserver& observer) {
    ++result.steps;
    const double before = result.energies.free();
    update_direction(result);
    search(result);
    decreases_.add(before - result.energies.free());
    result.error_estimate = std::max(bands_.error(), decreases_.remaining());
    convergence_.update(result);
    const bool small = result.error_estimate < options_.energy_tolerance;
    const bool at_rounding = !small && convergence_.is_at_rounding(result);
    if (observer) observer(step_of(result));
    if (!small && !at_rounding && result.steps < options_.max_steps) return;
    const bool lowest = are_lowest(result);
    result.converged = lowest && (small || at_rounding);
    result.at_rounding = result.converged && at_rounding;
    if (!lowest && result.steps < options_.max_steps) begin(result);
  }

  /// Whether the occupied bands are the lowest ones; otherwise the lowest ones replace them. Empty bands converge.
  [[nodiscard]] bool are_lowest(ScfResult& result) {
    const double estimate = result.error_estimate;
    result.hpsi_deviation = nonlocal_of_eigenvalues(result) - result.energies.at("nonlocal");
    if (has_empty()) converge_empty(result);
    const int found = bands_.recover(result);
    result.recovered_states += found;
    if (found > 0) bands_.occupy(result, potential_.linear().potential);
    result.error_estimate = estimate;
    return found == 0 && change_energy(system_.space, density_.n, bands_.output().fields.n) < options_.energy_tolerance;
  }

  [[nodiscard]] bool has_empty() const {
    Index empty = 0;
    for (std::size_t i = 0; i < descents_.size(); ++i)
      empty += system_.bands[i]->state.x.count() - descents_[i].occupied();
    return system_.groups.world().max(empty) > 0;
  }

  /// All bands in the present potential: the solver locks those that have converged.
  void converge_empty(ScfResult& result) {
    constexpr int most_rounds = 20;
    bands_.orthonormalise_all();
    for (int round = 0; round < most_rounds; ++round) {
      bands_.improve();
      bands_.occupy(result, potential_.linear().potential);
      bands_.estimate_errors(result, 0.0);
      const double largest = *std::max_element(result.residuals.begin(), result.residuals.end());
      if (largest * largest < lock_empty) break;
    }
  }

  /// Takes the present bands with their density and its potential: energies, H of the bands, errors.
  void accept_step(ScfResult& result, Trial trial, LinearPotential potential) {
    result.energies = energies_of(trial, system_.terms.energies(trial.density.view(), potential));
    density_ = trial.density.fields;
    bands_.output() = std::move(trial.density);
    potential_.set(std::move(potential));
    for (std::size_t i = 0; i < descents_.size(); ++i) {
      KohnShamBands<S>& bands = *system_.bands[i];
      bands.op.prepare_round();
      descents_[i].accept_step(bands.op, bands.state);
    }
    result.eigenvalues = gather_eigenvalues(system_.groups, system_.bands, system_.table());
    result.magnetisation = bands_.magnetisation();
    bands_.estimate_errors(result, 0.0);
  }

  /// The next direction, conjugate to the last one (Polak and Ribiere), or that of steepest descent.
  void update_direction(const ScfResult& result) {
    const double now = weighted(result, [](BandDescent<S>& descent, KohnShamBands<S>& bands) {
      return descent.update_gradient(bands.op, bands.state);
    });
    const double with_last = weighted(result, [](BandDescent<S>& descent, KohnShamBands<S>& bands) {
      return descent.product_with_last(bands.op, bands.state);
    });
    const double beta = slope_ < 0 ? std::max(0.0, (now - with_last) / last_product_) : 0.0;
    last_product_ = now;
    slope_ = set_direction(result, beta);
    if (beta > 0 && !(slope_ < 0)) slope_ = set_direction(result, 0.0);
  }

  /// Sets the direction; returns the slope of the energy along it, Ha.
  [[nodiscard]] double set_direction(const ScfResult& result, double beta) {
    return 2.0 * weighted(result, [&](BandDescent<S>& descent, KohnShamBands<S>& bands) {
             return descent.update_direction(bands.op, bands.state, beta);
           });
  }

  /// Goes to the lowest energy along the direction: one trial, whose E_xc is taken to second order, then the minimum of
  /// the parabola if that is not close by; again with the energy found there, if that asks for another length.
  void search(ScfResult& result) {
    constexpr double close = 0.1;  // it changes the fall of the energy by the square
    constexpr double far = 0.3;
    constexpr int most_moves = 5;
    const double before = result.energies.free(), rounding = result.energies.rounding();
    const bool visible = std::abs(slope_ * length_) > 100 * rounding;
    Trial trial = moved(result, length_);
    double length = visible ? parabola_minimum(slope_, length_, second_order(trial) - before) : length_;
    if (std::abs(length - length_) > close * length_)
      trial = moved(result, length);
    else
      length = length_;
    LinearPotential potential = potential_of(trial);
    update_xc_curvature(trial, potential);
    double rise = energy(trial, potential) - before;
    for (int move = 0; move < most_moves && visible; ++move) {
      const double best = parabola_minimum(slope_, length, rise);
      if (rise <= rounding && (move > 0 || std::abs(best - length) <= far * length)) break;
      length = best;
      trial = moved(result, length);
      potential = potential_of(trial);
      rise = energy(trial, potential) - before;
    }
    if (rise > rounding) slope_ = 0;  // the next direction is that of steepest descent
    length_ = length;
    accept_step(result, std::move(trial), std::move(potential));
  }

  /// Of a trial whose potential is known, Ha.
  [[nodiscard]] double energy(const Trial& trial, const LinearPotential& potential) const {
    return energies_of(trial, system_.terms.energies(trial.density.view(), potential)).free();
  }

  [[nodiscard]] Trial moved(const ScfResult& result, double length) {
    for (std::size_t i = 0; i < descents_.size(); ++i)
      descents_[i].move(system_.bands[i]->op, system_.bands[i]->state, length);
    return measured(result);
  }

  [[nodiscard]] Trial measured(const ScfResult& result) {
    Trial trial{bands_.sums().density(result.occupations, potential_.linear().potential)};
    trial.kinetic = bands_.kinetic_energy(result);
    trial.nonlocal = bands_.nonlocal_energy(result);
    return trial;
  }

  [[nodiscard]] LinearPotential potential_of(const Trial& trial) const {
    return system_.terms.linear_potential(trial.density.view());
  }

  /// To first order in the change of the density, as far as E_xc is concerned.
  [[nodiscard]] TermEnergies first_order(const Trial& trial) const {
    return system_.terms.energies_near(density_, potential_.linear(), trial.density.fields, trial.density.energy);
  }
  /// The same to second order, as the last steps have shown it. Ha.
  [[nodiscard]] double second_order(const Trial& trial) const {
    return energies_of(trial, first_order(trial)).free() +
           xc_curvature_ * change_energy(system_.space, density_.n, trial.density.fields.n);
  }
  void update_xc_curvature(const Trial& trial, const LinearPotential& potential) {
    const double change = change_energy(system_.space, density_.n, trial.density.fields.n);
    constexpr double least = 1e-10;  // Ha; below, the difference is rounding
    if (change > least) xc_curvature_ = higher_orders(trial, potential) / change;
  }

  /// What the first order leaves out, Ha.
  [[nodiscard]] double higher_orders(const Trial& trial, const LinearPotential& potential) const {
    const TermEnergies first = first_order(trial);
    double sum = 0;
    for (const auto& [name, energy] : potential.energies) sum += energy - first.at(name);
    return sum;
  }

  [[nodiscard]] Energies energies_of(const Trial& trial, const TermEnergies& density_energies) const {
    return all_energies(trial.kinetic, density_energies, trial.nonlocal, 0.0);
  }

  /// sum_i f_i eps_i less the kinetic energy and that in the potential of the density, Ha.
  [[nodiscard]] double nonlocal_of_eigenvalues(const ScfResult& result) const {
    const double bands =
        std::inner_product(result.eigenvalues.begin(), result.eigenvalues.end(), result.occupations.begin(), 0.0);
    return bands - result.energies.at("kinetic") - potential_.linear().integral;
  }

  [[nodiscard]] std::vector<double> occupations(const ScfResult& result, std::size_t set) {
    return bands_.sums().part_of(*system_.bands[set], result.occupations);
  }

  /// sum of f times a value of each set of bands: of_set(descent, bands).
  template <class Value>
  [[nodiscard]] double weighted(const ScfResult& result, Value of_set) {
    double sum = 0;
    for (std::size_t i = 0; i < descents_.size(); ++i)
      if (descents_[i].occupied() > 0) sum += occupations(result, i).front() * of_set(descents_[i], *system_.bands[i]);
    return bands_.sums().over_kpoint_groups(sum);
  }

  [[nodiscard]] ScfStep step_of(const ScfResult& result) const {
    ScfStep step{result.steps, result.energies.free(), result.error_estimate, bands_.applications(),
                 system_.bands_per_k};
    if (system_.electrons.spins == 2) step.total_magnetisation = result.magnetisation.total;
    return step;
  }

  ScfSystem<S, Space>& system_;
  const ScfOptions& options_;
  LoopBands<S, Space> bands_;
  LoopPotential<S, Space> potential_;  ///< of the density
  ConvergenceCheck convergence_;
  Density<Space>& density_;               ///< of the bands at the last accepted step
  std::vector<BandDescent<S>> descents_;  ///< one for each element of the system's bands
  EnergyDecreases decreases_;
  double slope_ = 0;  ///< of the energy along the last direction, Ha; 0: the next one is that of steepest descent
  double last_product_ = 0;  ///< of gradient and preconditioned gradient
  double length_ = 1;        ///< of the last step
  double xc_curvature_ = 0;  ///< second order of E_xc over the electrostatic energy of the change (change_energy)
};

}  // namespace wavegrid
