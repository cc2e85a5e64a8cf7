// Direct minimisation of the energy over the bands of a system with fixed occupations.
//
// The Kohn-Sham functional of the occupied bands and their density is minimised by conjugate gradients on the Grassmann
// manifold (eigen/band_descent.hpp), all bands, k-points and spins at once: no density is mixed and no eigenvalue
// problem solved. M. C. Payne et al., Rev. Mod. Phys. 64, 1045 (1992), 10.1103/RevModPhys.64.1045.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include <wavegrid/eigen/band_descent.hpp>
#include <wavegrid/scf/band_potential.hpp>
#include <wavegrid/scf/density_error.hpp>
#include <wavegrid/scf/electron_solver.hpp>
#include <wavegrid/scf/energy_decreases.hpp>
#include <wavegrid/scf/occupied_bands.hpp>
#include <wavegrid/scf/parabola.hpp>

namespace wavegrid {

/// Begins with two steps of the eigensolver in the initial potential; afterwards the loop's density is that of the
/// bands. In double precision only; smearing must be `fixed`. Each occupied band keeps its electrons; verify() checks
/// that these bands are the lowest ones, and the minimisation begins anew from those if they are not.
///
/// A step takes one application of H to each occupied band and one or two densities. The error is the larger one of the
/// bands' (BandErrors) and what the last decreases of the energy leave (EnergyDecreases).
template <class S, FieldSpace Space>
class DirectMinimiser final : public ElectronSolver<Space> {
 public:
  /// The system must outlive this object. `tolerance`: of the loop, Ha.
  DirectMinimiser(ScfSystem<S, Space>& system, BandStart<S> start, double tolerance)
      : system_(system),
        start_(std::move(start)),
        tolerance_(tolerance),
        bands_(system, tolerance),
        potential_(system),
        descents_(system.bands.size()) {}

  void begin(ScfPoint<Space>& at, ElectronStates& states) override {
    potential_.set(at.potential.potential);
    bands_.begin(start_, potential_.operator_points());
    bands_.improve();  // in the initial potential
    bands_.occupy(states, at.potential.potential);
  }

  ElectronErrors solve(ScfPoint<Space>& at, ElectronStates& states) override {
    if (begins_anew_) evaluate(at, states);
    update_direction(states);
    decreases_.add(search(at, states));
    return {std::max(bands_.error(), decreases_.remaining()), 0.0};
  }

  /// Begins to minimise from the present bands, whose occupations stay those of `states`.
  ElectronErrors evaluate(ScfPoint<Space>& at, ElectronStates& states) override {
    begins_anew_ = false;
    for (std::size_t i = 0; i < descents_.size(); ++i) {
      const std::vector<double> f = occupations(states, i);
      const auto occupied = std::count_if(f.begin(), f.end(), [](double one) { return one > 0; });
      system_.bands[i]->solver.restart();
      descents_[i].begin(system_.bands[i]->state, static_cast<Index>(occupied));
    }
    slope_ = 0;
    decreases_.clear();
    Trial trial = measured(at, states);
    LinearPotential potential = potential_of(trial);
    accept_step(at, states, std::move(trial), std::move(potential));
    return {bands_.error(), 0.0};
  }

  [[nodiscard]] ElectronDensity<Space>& density() override { return bands_.output(); }
  [[nodiscard]] NamedValues<double> energies(const ElectronStates& /*states*/) override { return band_energies_; }
  [[nodiscard]] std::optional<TermEnergies> term_energies(const ScfPoint<Space>& /*at*/) override {
    return term_energies_;
  }
  /// The energies are those of the bands; compares the nonlocal one with what the eigenvalues leave for it.
  void finish_energies(const ScfPoint<Space>& at, ElectronStates& states, Energies& energies) override {
    const double nonlocal = bands_.band_energy(states) - energies.at("kinetic") - at.potential.integral;
    states.hpsi_deviation = nonlocal - energies.at("nonlocal");
  }
  /// Whether the occupied bands are the lowest ones; otherwise the lowest ones replace them. Empty bands converge.
  [[nodiscard]] bool verify(const ScfPoint<Space>& at, ElectronStates& states, bool /*small*/) override {
    if (has_empty()) converge_empty(at, states);
    const int found = bands_.recover(states);
    states.recovered_states += found;
    if (found > 0) bands_.occupy(states, at.potential.potential);
    begins_anew_ = found > 0 || !(system_.terms.change_energy(at.density, bands_.output().fields) < tolerance_);
    return !begins_anew_;
  }

  [[nodiscard]] bool is_self_consistent() const override { return true; }
  [[nodiscard]] Index num_bands() const override { return system_.bands_per_k; }
  [[nodiscard]] Index applications() const override { return bands_.applications(); }

 private:
  /// A set of bands: its density, Ha of kinetic and nonlocal energy.
  struct Trial {
    ElectronDensity<Space> density;
    double kinetic = 0, nonlocal = 0;
  };

  [[nodiscard]] bool has_empty() const {
    Index empty = 0;
    for (std::size_t i = 0; i < descents_.size(); ++i)
      empty += system_.bands[i]->state.x.count() - descents_[i].occupied();
    return system_.groups.world().max(empty) > 0;
  }

  /// All bands in the present potential: the solver locks those that have converged.
  void converge_empty(const ScfPoint<Space>& at, ElectronStates& states) {
    constexpr int most_rounds = 20;
    bands_.orthonormalise_all();
    for (int round = 0; round < most_rounds; ++round) {
      bands_.improve();
      bands_.occupy(states, at.potential.potential);
      bands_.estimate_errors(states, 0.0);
      const double largest = *std::max_element(states.residuals.begin(), states.residuals.end());
      if (largest * largest < lock_empty) break;
    }
  }

  /// Takes the present bands with their density and its potential: energies, H of the bands, errors.
  void accept_step(ScfPoint<Space>& at, ElectronStates& states, Trial trial, LinearPotential potential) {
    band_energies_ = bands_.energies(trial.kinetic, trial.nonlocal);
    term_energies_ = system_.terms.energies(trial.density.view(), potential);
    energies_ = all_energies(band_energies_, term_energies_);
    at.density = trial.density.fields;
    at.potential = std::move(potential);
    bands_.output() = std::move(trial.density);
    potential_.set(at.potential.potential);
    for (std::size_t i = 0; i < descents_.size(); ++i) {
      KohnShamBands<S>& bands = *system_.bands[i];
      bands.op.prepare_round();
      descents_[i].accept_step(bands.op, bands.state);
    }
    states.eigenvalues = gather_eigenvalues(system_.groups, system_.bands, system_.table());
    bands_.estimate_errors(states, 0.0);
  }

  /// The next direction, conjugate to the last one (Polak and Ribiere), or that of steepest descent.
  void update_direction(const ElectronStates& states) {
    const double now = weighted(states, [](BandDescent<S>& descent, KohnShamBands<S>& bands) {
      return descent.update_gradient(bands.op, bands.state);
    });
    const double with_last = weighted(states, [](BandDescent<S>& descent, KohnShamBands<S>& bands) {
      return descent.product_with_last(bands.op, bands.state);
    });
    const double beta = slope_ < 0 ? std::max(0.0, (now - with_last) / last_product_) : 0.0;
    last_product_ = now;
    slope_ = set_direction(states, beta);
    if (beta > 0 && !(slope_ < 0)) slope_ = set_direction(states, 0.0);
  }

  /// Sets the direction; returns the slope of the energy along it, Ha.
  [[nodiscard]] double set_direction(const ElectronStates& states, double beta) {
    return 2.0 * weighted(states, [&](BandDescent<S>& descent, KohnShamBands<S>& bands) {
             return descent.update_direction(bands.op, bands.state, beta);
           });
  }

  /// Goes to the lowest energy along the direction: one trial, whose E_xc is taken to second order, then the minimum of
  /// the parabola if that is not close by; again with the change of the energy found there, if that asks for another
  /// length. Returns the decrease of the energy, Ha.
  [[nodiscard]] double search(ScfPoint<Space>& at, ElectronStates& states) {
    constexpr double close = 0.1;  // it changes the fall of the energy by the square
    constexpr double far = 0.3;
    constexpr double shortest = 0.01;  // a trial so short says too little of the curvature
    constexpr int most_moves = 5;
    const double rounding = energies_.rounding(), first = std::max(length_, shortest);
    const bool visible = std::abs(slope_ * first) > 100 * rounding;
    Trial trial = moved(at, states, first);
    double length = visible ? parabola_minimum(slope_, first, second_order_rise(at, trial)) : first;
    if (std::abs(length - first) > close * first)
      trial = moved(at, states, length);
    else
      length = first;
    LinearPotential potential = potential_of(trial);
    double rise = energy_rise(at, trial, potential);
    update_xc_curvature(at, trial, rise);
    for (int move = 0; move < most_moves && visible; ++move) {
      const double best = parabola_minimum(slope_, length, rise);
      if (rise <= rounding && (move > 0 || std::abs(best - length) <= far * length)) break;
      length = best;
      trial = moved(at, states, length);
      potential = potential_of(trial);
      rise = energy_rise(at, trial, potential);
    }
    if (rise > rounding) slope_ = 0;  // the next direction is that of steepest descent
    length_ = length;
    accept_step(at, states, std::move(trial), std::move(potential));
    return -rise;
  }

  [[nodiscard]] Trial moved(const ScfPoint<Space>& at, const ElectronStates& states, double length) {
    for (std::size_t i = 0; i < descents_.size(); ++i)
      descents_[i].move(system_.bands[i]->op, system_.bands[i]->state, length);
    return measured(at, states);
  }

  [[nodiscard]] Trial measured(const ScfPoint<Space>& at, const ElectronStates& states) {
    Trial trial{bands_.sums().density(states.occupations, at.potential.potential)};
    trial.kinetic = bands_.kinetic_energy(states);
    trial.nonlocal = bands_.nonlocal_energy(states);
    return trial;
  }

  [[nodiscard]] LinearPotential potential_of(const Trial& trial) const {
    return system_.terms.linear_potential(trial.density.view());
  }

  /// E(trial) - E, Ha, by the potentials of both densities: the energies themselves may have jumps, which the gradient
  /// does not see and which would end every search there.
  [[nodiscard]] double energy_rise(const ScfPoint<Space>& at, const Trial& trial, const LinearPotential& potential) {
    return band_rise(trial) + system_.terms.change(bands_.output().values, at.potential.potential, trial.density.values,
                                                   potential.potential);
  }
  /// The same with E_xc to second order, as the last steps have shown it.
  [[nodiscard]] double second_order_rise(const ScfPoint<Space>& at, const Trial& trial) const {
    return first_order_rise(at, trial) + xc_curvature_ * density_change(at, trial);
  }
  /// The same with E_xc to first order.
  [[nodiscard]] double first_order_rise(const ScfPoint<Space>& at, const Trial& trial) const {
    const TermEnergies terms =
        system_.terms.energies_near(at.density, at.potential, trial.density.fields, trial.density.potential_energy);
    double sum = band_rise(trial);
    for (const auto& [name, energy] : terms) sum += energy - term_energies_.at(name);
    return sum;
  }
  /// Of the kinetic and nonlocal energy.
  [[nodiscard]] double band_rise(const Trial& trial) const {
    return trial.kinetic - band_energies_.at("kinetic") + trial.nonlocal - band_energies_.at("nonlocal");
  }

  /// Ha.
  [[nodiscard]] double density_change(const ScfPoint<Space>& at, const Trial& trial) const {
    return system_.terms.change_energy(at.density, trial.density.fields);
  }
  void update_xc_curvature(const ScfPoint<Space>& at, const Trial& trial, double rise) {
    const double change = density_change(at, trial);
    constexpr double least = 1e-10;  // Ha; below, the difference is rounding
    if (change > least) xc_curvature_ = (rise - first_order_rise(at, trial)) / change;
  }

  [[nodiscard]] std::vector<double> occupations(const ElectronStates& states, std::size_t set) {
    return bands_.sums().state_values(*system_.bands[set], states.occupations);
  }

  /// sum of f times a value of each set of bands: set_value(descent, bands).
  template <class Value>
  [[nodiscard]] double weighted(const ElectronStates& states, Value set_value) {
    double sum = 0;
    for (std::size_t i = 0; i < descents_.size(); ++i)
      if (descents_[i].occupied() > 0)
        sum += occupations(states, i).front() * set_value(descents_[i], *system_.bands[i]);
    return bands_.sums().over_kpoint_groups(sum);
  }

  ScfSystem<S, Space>& system_;
  BandStart<S> start_;
  double tolerance_;
  OccupiedBands<S, Space> bands_;
  BandPotential<S, Space> potential_;
  std::vector<BandDescent<S>> descents_;  ///< one for each element of the system's bands
  bool begins_anew_ = true;               ///< the next step begins from bands that were found otherwise
  NamedValues<double> band_energies_;     ///< of the last accepted step, as are the following, Ha
  TermEnergies term_energies_;
  Energies energies_;
  EnergyDecreases decreases_;
  double slope_ = 0;  ///< of the energy along the last direction, Ha; 0: the next one is that of steepest descent
  double last_product_ = 0;  ///< of gradient and preconditioned gradient
  double length_ = 1;        ///< of the last step
  double xc_curvature_ =
      0;  ///< second order of E_xc over the electrostatic energy of the change (EnergyTerms::change_energy)
};

}  // namespace wavegrid
