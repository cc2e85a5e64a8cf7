#include "scf/solve_scf.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/units.hpp"
#include "eigen/missed_states.hpp"

namespace wavegrid {

namespace {

/// |R|^2 with which an empty band is good enough, Ha^2: an error of 1e-7 Ha where its neighbours are 0.1 Ha away.
constexpr double lock_empty = 1e-8;

/// The state of one run of the loop.
template <class S>
class Loop {
 public:
  using Real = RealOf<S>;

  Loop(ScfSystem<S>& system, SpinCoefficients& density, const BandStart<S>& start, const ScfOptions& options,
       std::optional<ScfApproach> approach)
      : system_(system),
        options_(options),
        approach_(approach ? std::move(*approach) : ScfApproach{{system.grid, options.mixer, system.electrons.spins}}),
        density_(density),
        potentials_(static_cast<std::size_t>(system.electrons.spins)) {
    take_potential(make_potential());
    world().together([&] {  // a start may fail on one k-group
      for (auto& bands : system_.bands) {
        if (bands->state.x.count() == 0)
          bands->state = start(*bands);
        else if (approach)
          take_over(*bands);
      }
    });
  }

  ScfResult run(const ScfListeners& listeners) {
    ScfResult result;
    result.steps = approach_.steps;
    result.recovered_states = approach_.recovered_states;
    for (bool improving = !approach_.converged;
         result.steps < options_.max_steps && !result.converged && !result.stopped; improving = true) {
      step(result, improving, listeners.observer);
      if (listeners.ending && (result.converged || result.steps == options_.max_steps))
        listeners.ending({result, output_, potential_});
      if (result.converged) break;
      mix(result);
      result.stopped = wants_to_stop(result, listeners.watch);
    }
    if (result.converged) density_ = std::move(output_);
    return result;
  }

  ScfApproach run_approach(const ScfListeners& listeners) {
    ScfResult result;
    double mark = std::numeric_limits<double>::max();  // the last error estimate that was half of the one before
    int steps_since = 0;
    while (result.steps + 1 < options_.max_steps && steps_since < patience(mark)) {
      step(result, true, listeners.observer);
      if (result.converged) break;
      mix(result);
      result.stopped = wants_to_stop(result, listeners.watch);
      if (result.stopped) break;
      ++steps_since;
      if (result.error_estimate > 0.5 * mark) continue;
      mark = result.error_estimate;
      steps_since = 0;
    }
    approach_.converged = result.converged;
    approach_.steps = result.steps;
    approach_.recovered_states = result.recovered_states;
    approach_.h_applications = all_applications();
    if (result.stopped) approach_.stopped = std::move(result);
    return std::move(approach_);
  }

 private:
  [[nodiscard]] bool wants_to_stop(const ScfResult& result, const ScfWatch& watch) const {
    return watch && watch({result, density_}) == AfterStep::stop;
  }

  /// Steps in which an estimate of single precision is to halve: few where rounding may hold it up (it did at 3e-9 Ha
  /// per electron in Al500), many where a hard case does.
  [[nodiscard]] int patience(double error) const { return error < 1e-8 * system_.electrons.count ? 2 : 12; }

  /// HX and Ritz values of bands that were converted.
  void take_over(KPointBands<S>& bands) {
    const auto guard = bands.h.time(Phase::linear_algebra);
    bands.h.apply(std::as_const(bands.state.x).view(), bands.state.hx.view());
    rayleigh_ritz(bands.h, bands.state);
  }

  void step(ScfResult& result, bool improving, const ScfObserver& observer) {
    ++result.steps;
    if (improving)
      for (auto& bands : system_.bands) improve(*bands);
    evaluate(result);
    if (observer) observer(step_of(result));
    if (result.error_estimate >= options_.energy_tolerance || !all_reliable()) return;
    // Where single precision found nothing missing, nothing has got lost since.
    const int found = approach_.converged ? 0 : recover(result);
    result.converged = found == 0;
    result.recovered_states += found;
    if (found > 0 && result.steps == options_.max_steps) evaluate(result);  // there will be no step for the new bands
  }

  [[nodiscard]] const Comm& world() const { return system_.levels.world(); }
  [[nodiscard]] int spins() const { return system_.electrons.spins; }
  /// A figure that all ranks of a k-group hold, added over the k-groups.
  [[nodiscard]] double over_kgroups(double value) const {
    // One after the other: how MPI adds them may depend on the ranks between them.
    std::vector<double> values(static_cast<std::size_t>(system_.levels.counts().kgroups), 0.0);
    if (system_.levels.kgroup().rank() == 0) values[static_cast<std::size_t>(system_.levels.my_kgroup())] = value;
    world().merge(std::span<double>(values));
    return std::accumulate(values.begin(), values.end(), 0.0);
  }

  [[nodiscard]] StateTable table() const {
    return {static_cast<Index>(system_.k_weights.size()), spins(), system_.bands_per_k};
  }

  /// The first k-point of the group looks for the fastest transport, and the others follow.
  void improve(KPointBands<S>& bands) {
    const SphereFft<Real>& leader = system_.bands.front()->basis->fft.sphere();
    if (&bands != system_.bands.front().get() && leader.tuning() && !leader.is_tuning())
      bands.basis->fft.sphere().decide(leader.tuning()->chosen, "that of the first k-point");
    bands.solver.improve(bands.h, bands.state);
  }

  [[nodiscard]] ScfStep step_of(const ScfResult& result) const {
    ScfStep step{result.steps, result.energies.free(), result.error_estimate,
                 approach_.h_applications + all_applications()};
    if (spins() == 2) step.total_moment = result.magnetisation.total;
    step.single_precision = is_single<S>;
    return step;
  }
  [[nodiscard]] Index all_applications() const {
    return static_cast<Index>(std::llround(over_kgroups(static_cast<double>(applications()))));
  }
  [[nodiscard]] Index applications() const {
    return std::accumulate(system_.bands.begin(), system_.bands.end(), Index{0},
                           [](Index sum, const auto& bands) { return sum + bands->h.applications(); });
  }
  [[nodiscard]] bool all_reliable() const {
    const bool mine = std::all_of(system_.bands.begin(), system_.bands.end(),
                                  [](const auto& bands) { return bands->solver.residual_is_reliable(); });
    return world().min(mine ? 1 : 0) == 1;
  }

  /// Occupations, output density, energies and the error estimate of the bands as they are.
  void evaluate(ScfResult& result) {
    result.eigenvalues = gather_eigenvalues(system_.levels, system_.bands, table());
    const SpinOccupations filled = occupy_states(result.eigenvalues, table(), system_.k_weights, system_.electrons);
    result.filling = filled.f;
    result.fermi = filled.fermi;
    result.too_few_bands = filled.too_few_bands;
    const SpinFields values = output_density(result.filling);
    result.energies = energies(result, filled.minus_ts, values);
    result.magnetisation = magnetisation(values);

    estimate_errors(result);
  }

  /// The error estimate, the residuals of all states, and what the solvers learn of both.
  void estimate_errors(ScfResult& result) {
    double all = 0;
    std::vector<double> errors;
    std::vector<std::vector<double>> norms;
    for (auto& bands : system_.bands) {
      const std::vector<double> squares = squared_residuals(bands->h, bands->state);
      const std::vector<double> filling = filling_of(*bands, result.filling);
      errors.push_back(std::inner_product(squares.begin(), squares.end(), filling.begin(), 0.0, std::plus<>(),
                                          [](double square, double f) { return square * std::abs(f); }));
      all += errors.back();
      std::transform(squares.begin(), squares.end(), norms.emplace_back(squares.size()).begin(),
                     [](double square) { return std::sqrt(square); });
    }
    result.residuals = gather_states(system_.levels, system_.bands, table(), norms);
    result.error_estimate = 2.0 * over_kgroups(all) + density_error();
    const bool near_end = result.error_estimate < 10.0 * options_.energy_tolerance;
    for (std::size_t i = 0; i < errors.size(); ++i) {
      BandSolver<S>& solver = system_.bands[i]->solver;
      solver.update_convergence(errors[i], near_end);
      solver.lock_below(lock_bounds(*system_.bands[i], filling_of(*system_.bands[i], result.filling)));
    }
  }

  /// Bands of this k-point that are good enough: all of them together would add a tenth of the tolerance to the error
  /// estimate. Emptier states may have larger residuals in return, up to where their eigenvalues suffer.
  [[nodiscard]] LockBounds lock_bounds(const KPointBands<S>& bands, const std::vector<double>& filling) const {
    const double full = system_.k_weights[static_cast<std::size_t>(bands.k)] * (spins() == 2 ? 1.0 : 2.0);
    const double of_full = 0.05 * options_.energy_tolerance / system_.electrons.count;
    LockBounds bounds;
    for (const double f : filling)
      bounds.push_back(std::min(of_full * full / std::max(std::abs(f), 1e-30), std::max(of_full, lock_empty)));
    return bounds;
  }

  [[nodiscard]] std::vector<double> filling_of(const KPointBands<S>& bands, const std::vector<double>& all) const {
    const auto first = all.begin() + table().first(bands.k, bands.spin);
    return {first, first + system_.bands_per_k};
  }

  /// What the change of the density from input to output is worth, Ha: its Hartree energy, and for the magnetisation
  /// the same with a kernel that stays finite at G = 0, where moments differ most.
  [[nodiscard]] double density_error() const {
    SpinCoefficients change(output_);
    for (std::size_t c = 0; c < change.size(); ++c)
      for (std::size_t i = 0; i < change[c].size(); ++i) change[c][i] -= density_[c][i];
    double error = system_.potential.hartree_energy(change[0]);
    if (spins() == 2) {
      const auto& kinetic = system_.grid.waves().kinetic();
      error += 0.5 * system_.grid.waves().lattice().volume() * system_.grid.over_waves()([&](std::size_t i) {
        return std::norm(change[1][i]) * 4.0 * units::pi / std::max(2.0 * kinetic[i], 1.0);
      });
    }
    return error;
  }

  /// The output density, symmetrised, in both spaces; sets output_.
  SpinFields output_density(const std::vector<double>& filling) {
    SpinFields channels;
    for (int spin = 0; spin < spins(); ++spin) channels.push_back(channel_density(spin, filling));
    SpinFields values(channels);
    if (spins() == 2)
      for (std::size_t i = 0; i < values[0].size(); ++i) {
        values[0][i] = channels[0][i] + channels[1][i];
        values[1][i] = channels[0][i] - channels[1][i];
      }
    output_.clear();
    for (auto& component : values) {
      output_.push_back(system_.grid.to_recip(component));
      if (system_.symmetriser.is_identity()) continue;
      system_.symmetriser.symmetrise(output_.back());
      component = system_.grid.to_real(output_.back());
    }
    return values;
  }

  std::vector<double> channel_density(int spin, const std::vector<double>& filling) {
    std::vector<double> part(static_cast<std::size_t>(part_size_));
    for (auto& bands : system_.bands) {
      if (bands->spin != spin) continue;
      std::vector<double> weights = filling_of(*bands, filling);
      for (double& w : weights) w /= system_.grid.waves().lattice().volume();
      Index occupied = static_cast<Index>(weights.size());
      while (occupied > 0 && weights[static_cast<std::size_t>(occupied - 1)] == 0.0) --occupied;
      bands->h.fft().accumulate_density(coefficients(std::as_const(bands->state.x).view()), weights, part.data(),
                                        occupied);
    }
    return system_.fields.sum_of_groups(part);
  }

  [[nodiscard]] Energies energies(const ScfResult& result, double minus_ts, const SpinFields& values) const {
    const auto of_density = system_.potential.energies(output_, values);
    double kinetic = 0;
    for (const auto& bands : system_.bands) {
      const std::vector<double> of_bands = bands->h.kinetic_energies(std::as_const(bands->state.x).view());
      const std::vector<double> f = filling_of(*bands, result.filling);
      kinetic = std::inner_product(f.begin(), f.end(), of_bands.begin(), kinetic);
    }
    // sum_i f_i eps_i holds the potential of the input density; what it does not explain is the nonlocal part.
    const double band_energy =
        std::inner_product(result.eigenvalues.begin(), result.eigenvalues.end(), result.filling.begin(), 0.0);
    Energies e;
    e.kinetic = over_kgroups(kinetic);
    e.nonlocal = band_energy - energy_in_potential(values) - e.kinetic;
    e.hartree = of_density.hartree;
    e.xc = of_density.xc;
    e.local = of_density.local;
    e.ewald = system_.ewald;
    e.core = system_.core;
    e.smearing = minus_ts;
    return e;
  }

  /// int (v_up n_up + v_down n_down), the potential of the input density in the output density, Ha.
  [[nodiscard]] double energy_in_potential(const SpinFields& values) const {
    return system_.grid.volume_element() * system_.grid.over_points()([&](std::size_t i) {
      return spins() == 1 ? values[0][i] * potential_[0][i]
                          : 0.5 * ((values[0][i] + values[1][i]) * potential_[0][i] +
                                   (values[0][i] - values[1][i]) * potential_[1][i]);
    });
  }

  [[nodiscard]] Magnetisation magnetisation(const SpinFields& values) const {
    if (spins() == 1) return {};
    const LineSum& sum = system_.grid.over_points();
    const auto& m = values[1];
    return {system_.grid.volume_element() * sum([&](std::size_t i) { return m[i]; }),
            system_.grid.volume_element() * sum([&](std::size_t i) { return std::abs(m[i]); })};
  }

  /// States that were missed, at all k-points; where a k-point had some, its solver starts again.
  int recover(const ScfResult& result) {
    int found = 0;
    for (auto& bands : system_.bands) {
      std::vector<double> filling = filling_of(*bands, result.filling);
      for (double& f : filling) f /= system_.k_weights[static_cast<std::size_t>(bands->k)];
      const int here = recover_missed_states(bands->h, bands->state, filling);
      if (here > 0) bands->solver.restart();
      found += here;
    }
    return static_cast<int>(std::lround(over_kgroups(found)));
  }

  [[nodiscard]] SpinFields make_potential() {
    SpinFields values;
    for (const auto& component : density_) values.push_back(system_.grid.to_real(component));
    return system_.potential.potential(density_, values);
  }

  /// Hands a potential to the Hamiltonians.
  void take_potential(SpinFields potential) {
    potential_ = std::move(potential);
    for (std::size_t spin = 0; spin < potential_.size(); ++spin) {
      const std::vector<double> part = system_.fields.to_groups(potential_[spin]);
      part_size_ = static_cast<Index>(part.size());
      potentials_[spin].assign(part.begin(), part.end());
    }
    for (auto& bands : system_.bands) bands->h.set_potential(potentials_[static_cast<std::size_t>(bands->spin)]);
  }

  /// The local density of states at the Fermi level, of both spins, for the preconditioner that wants it. Symmetrised
  /// as the density is: else the mixed density and its potential are not symmetric, and energies() holds that potential
  /// in a density from before and after symmetrising, an error of the free energy of first order.
  std::vector<double> local_states(const ScfResult& result) {
    if (approach_.mixer.options().preconditioner != PreconditionerKind::ldos) return {};
    const std::vector<double> slopes =
        occupation_slopes(result.eigenvalues, table(), system_.k_weights, system_.electrons, result.fermi);
    std::vector<double> states = channel_density(0, slopes);
    if (spins() == 2) {
      const std::vector<double> down = channel_density(1, slopes);
      std::transform(states.begin(), states.end(), down.begin(), states.begin(), std::plus<>());
    }
    if (system_.symmetriser.is_identity()) return states;
    GridFft::Coefficients whole = system_.grid.to_recip(states);
    system_.symmetriser.symmetrise(whole);
    return system_.grid.to_real(whole);
  }

  /// The next input density, its potential, and bands brought up to date with it.
  void mix(const ScfResult& result) {
    density_ = approach_.mixer.next(density_, output_, local_states(result));
    std::vector<std::vector<Real>> change(potentials_);
    take_potential(make_potential());
    for (std::size_t spin = 0; spin < change.size(); ++spin)
      std::transform(potentials_[spin].begin(), potentials_[spin].end(), change[spin].begin(), change[spin].begin(),
                     std::minus<>());
    for (auto& bands : system_.bands)
      bands->solver.potential_changed(bands->h, bands->state, change[static_cast<std::size_t>(bands->spin)]);
  }

  ScfSystem<S>& system_;
  const ScfOptions& options_;
  ScfApproach approach_;  ///< what has been before, and the mixer
  SpinCoefficients& density_;
  SpinCoefficients output_;
  SpinFields potential_;                       ///< of the input density, over all ranks
  std::vector<std::vector<Real>> potentials_;  ///< the same on this rank's block of its band group
  Index part_size_ = 0;
};

}  // namespace

template <class S>
ScfResult solve_scf(ScfSystem<S> system, SpinCoefficients& density, const BandStart<S>& start,
                    const ScfOptions& options, const ScfListeners& listeners, std::optional<ScfApproach> approach) {
  return Loop<S>(system, density, start, options, std::move(approach)).run(listeners);
}

template <class S>
ScfApproach approach_scf(ScfSystem<S> system, SpinCoefficients& density, const BandStart<S>& start,
                         const ScfOptions& options, const ScfListeners& listeners) {
  return Loop<S>(system, density, start, options, std::nullopt).run_approach(listeners);
}

#define WAVEGRID_INSTANTIATE(S)                                                                            \
  template ScfResult solve_scf<S>(ScfSystem<S>, SpinCoefficients&, const BandStart<S>&, const ScfOptions&, \
                                  const ScfListeners&, std::optional<ScfApproach>);                        \
  template ScfApproach approach_scf<SingleOf<S>>(ScfSystem<SingleOf<S>>, SpinCoefficients&,                \
                                                 const BandStart<SingleOf<S>>&, const ScfOptions&,         \
                                                 const ScfListeners&);
WAVEGRID_INSTANTIATE(double)
WAVEGRID_INSTANTIATE(std::complex<double>)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
