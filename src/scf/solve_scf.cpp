#include "scf/solve_scf.hpp"

#include <algorithm>
#include <numeric>

#include "scf/missed_states.hpp"

namespace wavegrid {

namespace {

/// The state of one run of the loop.
template <class S>
class Loop {
 public:
  Loop(ScfSystem<S>& system, GridFft::Coefficients density, const BandStart<S>& start, const ScfOptions& options)
      : system_(system),
        options_(options),
        mixer_(system.grid.comm(), system.grid.waves(), options.mixer),
        solver_(options.eigensolver),
        density_(std::move(density)),
        state_(start_state(start)) {}

  ScfResult run(const ScfObserver& observer) {
    ScfResult result;
    while (result.steps < options_.max_steps && !result.converged) {
      ++result.steps;
      solver_.improve(system_.h, state_);
      evaluate(result);
      if (observer) observer({result.steps, result.energies.free(), result.error_estimate, system_.h.applications()});
      if (result.error_estimate < options_.energy_tolerance && solver_.estimate_is_honest()) {
        const int found = recover_missed_states(system_.h, state_, result.filling);
        result.converged = found == 0;
        result.recovered_states += found;
        if (found > 0) solver_.restart();
      }
      if (!result.converged) mix();
    }
    result.eigenvalues = state_.values;
    return result;
  }

 private:
  EigenState<S> start_state(const BandStart<S>& start) {
    system_.h.set_potential(system_.potential.potential({density_}, {system_.grid.to_real(density_)})[0]);
    return start(system_.h);
  }

  /// Occupations, output density, energies and the error estimate of the bands as they are.
  void evaluate(ScfResult& result) {
    const std::vector<double> weights(state_.values.size(), 1.0);
    const Occupations filled = occupy(state_.values, weights, system_.electrons, 2.0, system_.smearing);
    result.filling = filled.f;
    result.fermi = filled.fermi;
    result.too_few_bands = filled.too_few_bands;
    const std::vector<double> values = output_density(filled.f);
    output_ = system_.grid.to_recip(values);
    result.energies = energies(filled, values);
    GridFft::Coefficients change(output_);
    for (std::size_t i = 0; i < change.size(); ++i) change[i] -= density_[i];
    const double bands = band_error(system_.h, state_, filled.f);
    result.error_estimate = 2.0 * bands + system_.potential.hartree_energy(change);
    solver_.judge(bands, result.error_estimate < 10.0 * options_.energy_tolerance);
  }

  std::vector<double> output_density(const std::vector<double>& filling) {
    std::vector<double> values(static_cast<std::size_t>(system_.grid.grid_size()));
    std::vector<double> weights(filling);
    for (double& w : weights) w /= system_.grid.waves().lattice().volume();
    Index occupied = static_cast<Index>(weights.size());
    while (occupied > 0 && weights[static_cast<std::size_t>(occupied - 1)] == 0.0) --occupied;
    system_.h.fft().accumulate_density(coefficients(std::as_const(state_.x).view()), weights, values.data(), occupied);
    return values;
  }

  Energies energies(const Occupations& filled, const std::vector<double>& values) const {
    const auto of_density = system_.potential.energies({output_}, {values});
    const std::vector<double> kinetic = system_.h.kinetic_energies(state_.x.view());
    const auto sum_over_bands = [&](const std::vector<double>& e) {
      return std::inner_product(e.begin(), e.end(), filled.f.begin(), 0.0);
    };
    // sum_i f_i eps_i holds the potential of the input density; what it does not explain is the nonlocal part.
    const std::vector<double>& v = system_.h.potential();
    const double in_potential = system_.grid.volume_element() *
                                system_.grid.comm().sum(std::inner_product(v.begin(), v.end(), values.begin(), 0.0));
    Energies e;
    e.kinetic = sum_over_bands(kinetic);
    e.nonlocal = sum_over_bands(state_.values) - in_potential - e.kinetic;
    e.hartree = of_density.hartree;
    e.xc = of_density.xc;
    e.local = of_density.local;
    e.ewald = system_.ewald;
    e.core = system_.core;
    e.smearing = filled.minus_ts;
    return e;
  }

  /// The next input density, its potential, and bands brought up to date with it.
  void mix() {
    density_ = mixer_.next(density_, output_);
    std::vector<double> potential = system_.potential.potential({density_}, {system_.grid.to_real(density_)})[0];
    std::vector<double> change(potential);
    std::transform(change.begin(), change.end(), system_.h.potential().begin(), change.begin(), std::minus<>());
    system_.h.set_potential(std::move(potential));
    solver_.potential_changed(system_.h, state_, change);
  }

  ScfSystem<S>& system_;
  const ScfOptions& options_;
  Mixer mixer_;
  BandSolver<S> solver_;
  GridFft::Coefficients density_, output_;
  EigenState<S> state_;
};

}  // namespace

template <class S>
ScfResult solve_scf(ScfSystem<S> system, GridFft::Coefficients density, const BandStart<S>& start,
                    const ScfOptions& options, const ScfObserver& observer) {
  return Loop<S>(system, std::move(density), start, options).run(observer);
}

template ScfResult solve_scf<double>(ScfSystem<double>, GridFft::Coefficients, const BandStart<double>&,
                                     const ScfOptions&, const ScfObserver&);
template ScfResult solve_scf<std::complex<double>>(ScfSystem<std::complex<double>>, GridFft::Coefficients,
                                                   const BandStart<std::complex<double>>&, const ScfOptions&,
                                                   const ScfObserver&);

}  // namespace wavegrid
