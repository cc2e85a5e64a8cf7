// One propagation of the bands of a calculation: the kick, the steps, and what is observed of them.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <string>
#include <utility>
#include <vector>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/printable.hpp>
#include <wavegrid/calculation/open_positions.hpp>
#include <wavegrid/calculation/propagation_result.hpp>
#include <wavegrid/discretisation/discretisation.hpp>
#include <wavegrid/propagation/enforced_reversal.hpp>
#include <wavegrid/propagation/kick.hpp>

namespace wavegrid {

/// Members are collective over the world.
template <FieldSpace Space>
class PropagationRun {
 public:
  using Complex = std::complex<double>;

  /// All must outlive it. `start`: a potential near that of the bands. `velocities`: of the system's bands, where the
  /// current is wanted.
  PropagationRun(ScfSystem<Complex, Space>& system, const Problem& problem, const ElectronStates& states,
                 const Potential& start, const Propagation& options, std::vector<BandVelocity> velocities)
      : system_(system),
        problem_(problem),
        options_(options),
        has_current_(norm2(problem.vector_potential) != 0),
        velocities_(std::move(velocities)),
        bands_(system, states, start, options.tolerance, drive()) {}

  PropagationRun(const PropagationRun&) = delete;
  PropagationRun& operator=(const PropagationRun&) = delete;

  [[nodiscard]] PropagationResult run(const PropagationObserver& observer) {
    PropagationResult result;
    if (options_.kick && options_.kick->gauge == Gauge::dipole) kick();
    result.first_energy = observe(0, result, observer);
    for (Index step = 1; step <= options_.steps; ++step) {
      bands_.step(options_.timestep);
      result.phase_error = std::max(result.phase_error, bands_.error());
      result.steps = step;
      if (step % options_.every == 0 || step == options_.steps) result.last_energy = observe(step, result, observer);
    }
    result.time = options_.steps * options_.timestep;
    result.iterations = options_.steps == 0 ? 0 : static_cast<double>(bands_.iterations()) / options_.steps;
    result.frequency_error = bands_.frequency_error();
    result.degree = system_.groups.world().max(bands_.degree());
    return result;
  }
  /// The density that was reached. Local.
  [[nodiscard]] const Density<Space>& density() const { return bands_.density().fields; }

 private:
  static constexpr double lost_electrons = 1e-6;  ///< of each electron: beyond it the result has no meaning

  [[nodiscard]] Vec3 field(double time) const {
    Vec3 sum{0, 0, 0};
    for (const Laser& laser : options_.lasers) sum = sum + laser.field(time);
    return sum;
  }
  [[nodiscard]] DrivingField drive() const {
    if (options_.lasers.empty()) return {};
    std::array<FieldValues, 3> positions;
    double most = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      Vec3 along{0, 0, 0};
      along[axis] = 1;
      positions[axis] = positions_along(system_.space, problem_, along);
      double farthest = 0, strength = 0;
      for (const double x : positions[axis]) farthest = std::max(farthest, std::abs(x));
      for (const Laser& laser : options_.lasers) strength += std::abs(laser.peak[axis]);
      most += strength * system_.groups.world().max(farthest);
    }
    return {std::move(positions), [this](double time) { return field(time); }, most};
  }

  void kick() {
    const FieldValues x = system_.space.to_operators(positions_along(system_.space, problem_, options_.kick->momentum));
    bands_.change_bands([&](auto& op, BandView<Complex> psi) { kick_bands(op, x, psi); });
  }

  [[nodiscard]] Vec3 current() {
    Vec3 sum{0, 0, 0};
    for (std::size_t i = 0; i < velocities_.size(); ++i) {
      const KohnShamBands<Complex>& bands = *system_.bands[i];
      const std::vector<Vec3> found = velocities_[i](bands.state.x.view());
      const std::vector<double> f = bands_.sums().state_values(bands, bands_.occupations());
      for (std::size_t b = 0; b < found.size(); ++b) sum = sum + f[b] * found[b];
    }
    for (double& component : sum)
      component = -bands_.sums().over_kpoint_groups(component) / problem_.crystal.lattice.volume();
    return sum;
  }

  /// Returns the energy.
  double observe(Index step, PropagationResult& result, const PropagationObserver& observer) {
    const FieldValues& density = bands_.density().values.n.front();
    PropagationStep now{.step = step, .time = static_cast<double>(step) * options_.timestep};
    now.energy = bands_.energies().total();
    now.electrons = system_.space.integrate([&](std::size_t i) { return density[i]; });
    now.dipole = electric_dipole(system_.space, problem_, density);
    if (has_current_) now.current = current();
    if (!options_.lasers.empty()) now.field = field(now.time);
    const double lost = std::abs(now.electrons - system_.electrons.count);
    if (!(lost <= lost_electrons * system_.electrons.count))
      throw internal_error("the propagation has lost " + to_text(lost) + " electrons at step " + std::to_string(step));
    result.electrons = std::max(result.electrons, lost);
    if (observer) observer(now);
    return now.energy;
  }

  ScfSystem<Complex, Space>& system_;
  const Problem& problem_;
  Propagation options_;
  bool has_current_;
  std::vector<BandVelocity> velocities_;
  EnforcedReversal<Space> bands_;
};

}  // namespace wavegrid
