// The steps of the self-consistency loop (solve_scf.hpp).
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "eigen/band_errors.hpp"
#include "eigen/missed_states.hpp"
#include "scf/band_accuracy.hpp"
#include "scf/band_sums.hpp"
#include "scf/density_error.hpp"

namespace wavegrid {

/// |R|^2 below which an empty band is converged, Ha^2: an error of 1e-7 Ha if its neighbours are 0.1 Ha away.
inline constexpr double lock_empty = 1e-8;

/// One run of the loop. Members are collective over all ranks.
template <class S, FieldSpace Space>
class ScfLoop {
 public:
  using Real = RealOf<S>;
  using Field = typename Space::Field;
  using Components = SpinComponents<Space>;

  ScfLoop(ScfSystem<S, Space>& system, Components& density, const BandStart<S>& start, const ScfOptions& options,
          std::optional<EarlierSteps<Space>> before)
      : system_(system),
        options_(options),
        earlier_(before ? std::move(*before)
                        : EarlierSteps<Space>{.mixer = {system.space, options.mixer},
                                              .stagnation = Stagnation(options.may_change_preconditioner)}),
        sums_(system),
        accuracy_(options.many_bands, options.energy_tolerance),
        density_(density),
        potentials_(static_cast<std::size_t>(system.electrons.spins)),
        applications_before_(all_applications()) {
    take_potential(earlier_.potential ? std::move(*earlier_.potential) : make_potential());
    earlier_.potential.reset();
    world().together([&] {  // `start` may fail on one k-point group
      for (KohnShamBands<S>* bands : system_.bands) {
        if (bands->state.x.count() == 0)
          bands->state = start(*bands);
        else
          take_over(*bands);
      }
    });
  }

  ScfResult run(const ScfListeners<Space>& listeners) {
    ScfResult result = begun();
    for (bool improving = !earlier_.converged;
         result.steps < options_.max_steps && !result.converged && !result.stopped; improving = true) {
      step(result, improving, listeners.observer);
      if (asks_for_bands(result)) break;
      if (listeners.ending && (result.converged || result.steps == options_.max_steps))
        listeners.ending({result, output_.fields, potential_.values});
      if (result.converged) break;
      take_next();
      change_method(result);
      result.stopped = wants_to_stop(result, listeners.watch);
    }
    if (result.converged) density_ = std::move(output_.fields);
    result.converged = result.converged && !result.too_few_bands;
    result.h_applications = applications_so_far();
    return result;
  }

  EarlierSteps<Space> run_single_stage(const ScfListeners<Space>& listeners) {
    ScfResult result = begun();
    double reference_error =
        std::numeric_limits<double>::max();  // the last error estimate that was half of the previous one
    int steps_since = 0;
    while (result.steps + 1 < options_.max_steps && steps_since < max_steps_to_halve(reference_error)) {
      step(result, true, listeners.observer);
      if (asks_for_bands(result) || result.converged) break;
      take_next();
      result.stopped = wants_to_stop(result, listeners.watch);
      if (result.stopped) break;
      if (change_method(result)) steps_since = 0;
      ++steps_since;
      if (result.error_estimate > 0.5 * reference_error) continue;
      reference_error = result.error_estimate;
      steps_since = 0;
    }
    earlier_.converged = result.converged && !asks_for_bands(result);
    if (result.converged) {  // the next loop begins with the same density
      earlier_.mixer.forget_latest();
      earlier_.potential = std::move(potential_);
    }
    result.converged = false;
    result.h_applications = applications_so_far();
    earlier_.last = std::move(result);
    return std::move(earlier_);
  }

 private:
  /// The result before the first step: the counts of earlier steps.
  [[nodiscard]] ScfResult begun() const {
    ScfResult result;
    result.steps = earlier_.last.steps;
    result.recovered_states = earlier_.last.recovered_states;
    result.changes = earlier_.last.changes;
    return result;
  }

  /// Whether to end the loop because the highest band stays occupied. Without the missing bands it may not converge: if
  /// they are partners of degenerate ones, any combination of all of them is as good as another.
  [[nodiscard]] bool asks_for_bands(const ScfResult& result) const {
    return options_.asks_for_bands && result.steps + 1 < options_.max_steps && result.too_few_bands &&
           (result.converged || occupied_count_ >= 9);
  }

  /// Counts consecutive steps in which the highest band is occupied; those with a nearly converged density count
  /// three times.
  void count_occupied(const ScfResult& result) {
    const bool settled = result.error_estimate < 1e-4 * system_.electrons.count;
    occupied_count_ = result.too_few_bands ? occupied_count_ + (settled ? 3 : 1) : 0;
  }

  /// Changes the method of mixing where the error does not fall; whether it did.
  bool change_method(ScfResult& result) {
    if (!earlier_.stagnation.after(result.error_estimate)) return false;
    auto [options, what] = earlier_.stagnation.next(earlier_.mixer.options());
    earlier_.mixer.restart(options);
    result.changes.push_back({result.steps, std::move(what)});
    return true;
  }

  /// Whether the error estimate is below the rounding of the energy and no longer falls.
  [[nodiscard]] bool is_at_rounding(const ScfResult& result) {
    constexpr int patience = 3;  // steps
    ++steps_since_halved_;
    if (result.error_estimate < 0.5 * halved_error_) {
      halved_error_ = result.error_estimate;
      steps_since_halved_ = 0;
    }
    return !is_single<S> && result.error_estimate < result.energies.rounding() && steps_since_halved_ >= patience;
  }

  [[nodiscard]] bool wants_to_stop(const ScfResult& result, const ScfWatch<Space>& watch) const {
    return watch && watch({result, density_}) == AfterStep::stop;
  }

  /// The number of steps within which the error estimate of single precision must halve: few where rounding may prevent
  /// it (as at 3e-9 Ha per electron in Al500), many above, where a system may converge slowly.
  [[nodiscard]] int max_steps_to_halve(double error) const { return error < 1e-8 * system_.electrons.count ? 2 : 12; }

  /// Images and Ritz values of bands that exist already. The solver's earlier directions have images in another
  /// potential.
  void take_over(KohnShamBands<S>& bands) {
    renew(bands);
    if (bands.state.x.count() == system_.bands_per_k) return;
    bands.solver.lock_below({});  // the bounds are those of fewer bands
    add_bands<S>(bands.op, bands.state, system_.bands_per_k);
  }

  /// Orthonormal bands with exact images, and a solver without history.
  void renew(KohnShamBands<S>& bands) {
    bands.solver.restart();
    const auto guard = bands.op.time(Phase::linear_algebra);
    apply_images<S>(bands.op, bands.state.view());
    rayleigh_ritz<S>(bands.op, bands.state);
  }
  void renew_all() {
    world().together([&] {
      for (KohnShamBands<S>* bands : system_.bands) renew(*bands);
    });
  }

  /// One step; bands that have converged already are evaluated only, which does not count as a step.
  void step(ScfResult& result, bool improving, const ScfObserver& observer) {
    if (improving) ++result.steps;
    if (improving) improve();
    fill(result);
    if (improving) make_accurate(result);
    evaluate(result);
    propose(result);
    count_occupied(result);
    const bool at_rounding = is_at_rounding(result), small = result.error_estimate < options_.energy_tolerance;
    const bool may_end = (small || at_rounding) && all_reliable();
    const bool is_last = result.steps == options_.max_steps;
    if (may_end || is_last) finish_energies(result);
    if (observer) observer(step_of(result));
    if (!may_end) return;
    if (images_are_wrong(result)) return renew_all();
    result.at_rounding = !small;
    // If single precision has already searched for missed states, the search is not repeated.
    const int found = earlier_.converged ? 0 : recover(result);
    result.converged = found == 0;
    result.recovered_states += found;
    if (found == 0 || !is_last) return;
    fill(result);  // no further step will do this for the recovered bands
    evaluate(result);
    finish_energies(result);
  }

  [[nodiscard]] const Comm& world() const { return system_.groups.world(); }
  [[nodiscard]] int spins() const { return system_.electrons.spins; }
  [[nodiscard]] ScfStep step_of(const ScfResult& result) const {
    ScfStep step{result.steps, result.energies.free(), result.error_estimate, applications_so_far(),
                 system_.bands_per_k};
    if (spins() == 2) step.total_magnetisation = result.magnetisation.total;
    step.single_precision = is_single<S>;
    // E_xc to first order is wrong by a part of the energy of the step: a quarter at most, on 42 systems.
    if (is_single<S>) step.rounding = single_rounding(result.energies) + density_error_;
    return step;
  }
  /// Of H, by all k-points, earlier steps included.
  [[nodiscard]] Index applications_so_far() const {
    return earlier_.last.h_applications + all_applications() - applications_before_;
  }
  [[nodiscard]] Index all_applications() const {
    return static_cast<Index>(std::llround(sums_.over_kpoint_groups(static_cast<double>(applications()))));
  }
  [[nodiscard]] Index applications() const {
    return std::accumulate(system_.bands.begin(), system_.bands.end(), Index{0},
                           [](Index sum, const KohnShamBands<S>* bands) { return sum + bands->op.applications(); });
  }
  [[nodiscard]] bool all_reliable() const {
    const bool mine = std::all_of(system_.bands.begin(), system_.bands.end(),
                                  [](const KohnShamBands<S>* bands) { return bands->solver.residual_is_reliable(); });
    return world().min(mine ? 1 : 0) == 1;
  }

  /// One round of the eigensolver on all bands.
  void improve() {
    for (KohnShamBands<S>* bands : system_.bands) {
      bands->op.prepare_round();
      bands->solver.improve(bands->op, bands->state);
    }
  }

  /// More rounds until the bands are as accurate as their density needs; in between, occupations and the error of the
  /// density are those of the first round.
  void make_accurate(ScfResult& result) {
    accuracy_.begin_step(density_error_);
    if (!accuracy_.next_round(band_error_, density_error_)) return;
    do {
      improve();
      estimate_band_errors(result);
    } while (accuracy_.next_round(band_error_, density_error_));
    fill(result);
  }

  /// Computes occupations, output density and the error estimate of the present bands.
  void fill(ScfResult& result) {
    minus_ts_ = occupy_bands(result);
    if (electrons_are_lost()) {
      renew_all();
      minus_ts_ = occupy_bands(result);
    }
    density_error_ = change_energy(system_.space, density_, output_.fields);
    estimate_band_errors(result);
  }

  /// Computes energies and magnetisation of the present bands and their density.
  void evaluate(ScfResult& result) {
    result.magnetisation = magnetisation();
    result.energies = energies(result, minus_ts_);
  }

  /// Computes occupations and the output density. Returns -TS, Ha.
  double occupy_bands(ScfResult& result) {
    result.eigenvalues = gather_eigenvalues(system_.groups, system_.bands, system_.table());
    const SpinOccupations filled =
        occupy_states(result.eigenvalues, system_.table(), system_.k_weights, system_.electrons);
    result.occupations = filled.f;
    result.fermi = filled.fermi;
    result.too_few_bands = filled.too_few_bands;
    result.enough_bands = !filled.too_few_bands ? 0
                                                : bands_with_empty_ones(result.eigenvalues, system_.table(),
                                                                        system_.electrons.smearing, result.fermi);
    output_ = sums_.density(result.occupations, potential_.values);
    return filled.minus_ts;
  }

  /// Whether the density lacks electrons or has too many: then the bands are no longer orthonormal.
  [[nodiscard]] bool electrons_are_lost() const {
    constexpr double share = is_single<S> ? 1e-3 : 1e-9;
    const double found = system_.space.integrate([&](std::size_t i) { return output_.values[0][i]; });
    return !(std::abs(found - system_.electrons.count) <= share * system_.electrons.count);
  }

  /// Whether H psi, as the solvers have updated it, gives another nonlocal energy than the bands do.
  [[nodiscard]] bool images_are_wrong(const ScfResult& result) const {
    const double limit = std::max(options_.energy_tolerance, 1e-9 * system_.electrons.count);
    return !(std::abs(result.hpsi_deviation) <= limit);
  }

  /// Computes the residuals of all states and their error, and passes both to the solvers; with the whole change of the
  /// density, an upper bound of the error estimate.
  void estimate_band_errors(ScfResult& result) {
    double all = 0;
    std::vector<BandErrors> of_bands;
    std::vector<std::vector<double>> norms;
    for (KohnShamBands<S>* bands : system_.bands) {
      of_bands.emplace_back(bands->state.values, sums_.part_of(*bands, result.occupations),
                            residuals_of<S>(bands->op, bands->state));
      const std::vector<double>& squares = of_bands.back().squared_residuals();
      all += of_bands.back().total();
      std::transform(squares.begin(), squares.end(), norms.emplace_back(squares.size()).begin(),
                     [](double square) { return std::sqrt(square); });
    }
    result.residuals = gather_states(system_.groups, system_.bands, system_.table(), norms);
    band_error_ = sums_.over_kpoint_groups(all);
    result.error_estimate = band_error_ + density_error_;
    const bool near_end = result.error_estimate < 10.0 * options_.energy_tolerance;
    for (std::size_t i = 0; i < of_bands.size(); ++i) {
      BandSolver<S>& solver = system_.bands[i]->solver;
      solver.update_convergence(of_bands[i].total(), near_end);
      solver.lock_below(lock_bounds(system_.bands[i]->k, of_bands[i]));
    }
  }

  /// Residual bounds below which bands of this k-point are locked: together they add at most a tenth of the tolerance
  /// to the error estimate. Nearly empty states may have larger residuals, up to a limit that keeps their eigenvalues
  /// accurate.
  [[nodiscard]] LockBounds lock_bounds(int k, const BandErrors& errors) const {
    const double full = system_.k_weights[static_cast<std::size_t>(k)] * (spins() == 2 ? 1.0 : 2.0);
    const double of_electron = 0.1 * options_.energy_tolerance / system_.electrons.count;
    LockBounds bounds = errors.bounds(of_electron * full);
    for (double& bound : bounds) bound = std::min(bound, std::max(0.5 * of_electron, lock_empty));
    return bounds;
  }

  [[nodiscard]] Energies energies(const ScfResult& result, double minus_ts) {
    // In single precision E_xc is taken to first order: half the time on the grid.
    const DensityEnergies of_density =
        is_single<S> && !is_one_spin_empty(result)
            ? system_.potential.energies_near(density_, potential_, output_.fields, output_.energy)
            : system_.potential.energies(output_.fields, output_.values);
    Energies e;
    e.kinetic = sums_.energy(result.occupations,
                             [](const auto& op, BandView<const S> psi) { return op.kinetic_energies(psi); });
    // sum_i f_i eps_i = kinetic energy + nonlocal energy + energy in the potential of the input density.
    const double band_energy =
        std::inner_product(result.eigenvalues.begin(), result.eigenvalues.end(), result.occupations.begin(), 0.0);
    e.nonlocal = band_energy - output_.energy - e.kinetic;
    e.hartree = of_density.hartree;
    e.xc = of_density.xc;
    e.local = of_density.local;
    e.ewald = system_.ewald;
    e.local_g0 = system_.local_g0;
    e.smearing = minus_ts;
    return e;
  }

  /// Computes the nonlocal energy from the bands themselves and compares it with the value from the eigenvalues.
  /// Energies of single precision are not reported.
  void finish_energies(ScfResult& result) {
    if (is_single<S>) return;
    const double nonlocal =
        sums_.energy(result.occupations, [](auto& op, BandView<const S> psi) { return op.nonlocal_energies(psi); });
    result.hpsi_deviation = nonlocal - result.energies.nonlocal;
    result.energies.nonlocal = nonlocal;
  }

  /// Whether all electrons have one spin: the potential of the other diverges (Xc::evaluate), and E_xc is not linear.
  [[nodiscard]] bool is_one_spin_empty(const ScfResult& result) const {
    return spins() == 2 && std::abs(result.magnetisation.total) > 0.99 * system_.electrons.count;
  }

  [[nodiscard]] Magnetisation magnetisation() const {
    if (spins() == 1) return {};
    const FieldValues& m = output_.values[1];
    return {system_.space.integrate([&](std::size_t i) { return m[i]; }),
            system_.space.integrate([&](std::size_t i) { return std::abs(m[i]); })};
  }

  /// Recovers missed states at all k-points, and restarts the solver where there were some. Returns their number.
  int recover(const ScfResult& result) {
    int found = 0;
    for (KohnShamBands<S>* bands : system_.bands) {
      std::vector<double> occupations = sums_.part_of(*bands, result.occupations);
      for (double& f : occupations) f /= system_.k_weights[static_cast<std::size_t>(bands->k)];
      const int here = recover_missed_states<S>(bands->op, bands->state, occupations, options_.energy_tolerance);
      if (here > 0) bands->solver.restart();
      found += here;
    }
    return static_cast<int>(std::lround(sums_.over_kpoint_groups(found)));
  }

  [[nodiscard]] LinearPotential make_potential() {
    SpinFields values;
    for (const Field& component : density_) values.push_back(system_.space.to_values(component));
    return system_.potential.linear_potential(density_, values);
  }

  /// Sets the potential of the Hamiltonians.
  void take_potential(LinearPotential potential) {
    potential_ = std::move(potential);
    for (std::size_t spin = 0; spin < potential_.values.size(); ++spin) {
      const FieldValues part = system_.space.to_operators(potential_.values[spin]);
      sums_.set_operator_points(static_cast<Index>(part.size()));
      potentials_[spin].assign(part.begin(), part.end());
    }
    for (KohnShamBands<S>* bands : system_.bands)
      bands->op.set_potential(potentials_[static_cast<std::size_t>(bands->spin)]);
  }

  /// Computes the next input density, and from it the error estimate of this step.
  void propose(ScfResult& result) {
    Mixer<Space>& mixer = earlier_.mixer;
    const bool by_ldos = mixer.options().preconditioner.kind == PreconditionerKind::ldos;
    const double of_bands = density_error_ > 0 ? band_error_ / density_error_ : 0.0;
    next_ =
        mixer.next(density_, output_.fields, of_bands, by_ldos ? sums_.local_density_of_states(result) : FieldValues{});
    if (mixer.knows_response())
      result.error_estimate =
          band_error_ + output_error(system_.space, density_error_, density_, output_.fields, next_);
  }

  /// Takes the proposed density as input, with its potential, and updates the bands for it.
  void take_next() {
    density_ = std::move(next_);
    std::vector<std::vector<Real>> change(potentials_);
    take_potential(make_potential());
    for (std::size_t spin = 0; spin < change.size(); ++spin)
      std::transform(potentials_[spin].begin(), potentials_[spin].end(), change[spin].begin(), change[spin].begin(),
                     std::minus<>());
    for (KohnShamBands<S>* bands : system_.bands)
      bands->solver.potential_changed(bands->op, bands->state, change[static_cast<std::size_t>(bands->spin)]);
  }

  ScfSystem<S, Space>& system_;
  const ScfOptions& options_;
  EarlierSteps<Space> earlier_;  ///< results of an earlier loop, if any, and the mixer
  BandSums<S, Space> sums_;
  BandAccuracy accuracy_;
  Components& density_;
  Components next_;                                           ///< the proposed input density
  BandDensity<Space> output_;                                 ///< of the bands
  LinearPotential potential_;                                 ///< of the input density, over all ranks
  std::vector<std::vector<Real>> potentials_;                 ///< the same on the points of this rank's operators
  Index applications_before_;                                 ///< of H, by earlier loops on the same operators
  double minus_ts_ = 0, band_error_ = 0, density_error_ = 0;  ///< Ha, of the present bands and their density
  int occupied_count_ = 0;                                    ///< of count_occupied()
  double halved_error_ = std::numeric_limits<double>::max();  ///< the last estimate that was half of the previous one
  int steps_since_halved_ = 0;
};

}  // namespace wavegrid
