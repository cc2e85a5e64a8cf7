// Propagation of Kohn-Sham bands by the steps of a scheme (step_scheme.hpp). The potential at the end of a step is
// extrapolated from those of the last steps, and computed again from the density that it leads to until the error of
// the bands' phases in the step, dt/2 times the mean difference of both potentials over the electrons, is below the
// tolerance.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <string>
#include <utility>
#include <vector>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/printable.hpp>
#include <wavegrid/eigen/chebyshev.hpp>
#include <wavegrid/propagation/chebyshev_exponential.hpp>
#include <wavegrid/propagation/driving_field.hpp>
#include <wavegrid/propagation/kick.hpp>
#include <wavegrid/propagation/potential_history.hpp>
#include <wavegrid/propagation/step_scheme.hpp>
#include <wavegrid/scf/band_potential.hpp>
#include <wavegrid/scf/band_sums.hpp>
#include <wavegrid/scf/energies.hpp>

namespace wavegrid {

/// Bands with fixed occupations and S = 1 in a functional of n alone. Members are collective over all ranks unless they
/// say "local".
template <FieldSpace Space>
class BandPropagator {
 public:
  using Complex = std::complex<double>;
  static constexpr double exponential_error = 1e-14;  ///< bound of the error of a band by one exponential

  /// The system must outlive it; its bands are those of time 0. `states`: their occupations, and the eigenvalues of the
  /// ground state, below which H has none. `start`: the potential of the bands' density, or one near it. `drive`: a
  /// field from outside, which is not in the energies.
  BandPropagator(ScfSystem<Complex, Space>& system, const ElectronStates& states, const Potential& start,
                 double tolerance, StepScheme scheme = enforced_reversal(), DrivingField drive = {})
      : system_(system),
        scheme_(std::move(scheme)),
        drive_(std::move(drive)),
        occupations_(occupied_states(states.occupations)),
        lowest_(*std::ranges::min_element(states.eigenvalues)),
        tolerance_(tolerance),
        sums_(system),
        potential_(system) {
    potential_.set(start);
    sums_.set_operator_points(potential_.operator_points());
    for (KohnShamBands<Complex>* bands : system_.bands) {
      occupied_.push_back(count_occupied(*bands));
      spectra_.push_back(spectrum(bands->op));
    }
    density_ = sums_.density(occupations_, start);
    linear_ = system_.terms.linear_potential(density_.view());
    history_.add(linear_.potential);
  }

  /// One step of `timestep`, hbar/Ha, of either sign. Throws bad_input, naming a step that would do, where the
  /// potential of its end is not found.
  void step(double timestep) {
    prepare(timestep);
    if (history_.size() < scheme_.history)
      start(timestep);
    else
      advance(timestep, scheme_, halves_, history_);
    if (history_.size() > 2) follow_frequency();
  }

  /// From now on each step multiplies bands by exp(-W dt); W, Ha, at the points of the operators. Local.
  void absorb_with(FieldValues absorption) { absorption_ = std::move(absorption); }

  /// Replaces the bands, which keep their density, by work(operator, occupied bands) of each k-point and spin.
  template <class Work>
  void change_bands(const Work& work) {
    for (std::size_t i = 0; i < occupied_.size(); ++i) work(system_.bands[i]->op, occupied(i));
    history_.restart();
  }

  /// What the steps so far have left besides the bands.
  struct Memory {
    PotentialHistory history{};
    double timestep = 0, time = 0;
    Index iterations = 0;
    double change_squares = 0, bend_squares = 0;
    int followed = 0;
  };
  /// Local.
  [[nodiscard]] Memory memory() const {
    return {history_, timestep_, time_, iterations_, change_squares_, bend_squares_, followed_};
  }
  /// Goes on from it with bands of that time. Local.
  void resume(Memory memory) {
    prepare(memory.timestep);
    history_ = std::move(memory.history);
    time_ = memory.time;
    iterations_ = memory.iterations;
    change_squares_ = memory.change_squares;
    bend_squares_ = memory.bend_squares;
    followed_ = memory.followed;
  }

  /// Of the present time. Local.
  [[nodiscard]] const ElectronDensity<Space>& density() const { return density_; }
  /// Of that, without a field from outside. Local.
  [[nodiscard]] const Potential& potential() const { return history_.present(); }
  /// The energies of the present time by their terms, Ha.
  [[nodiscard]] Energies energies() {
    NamedValues<double> electrons;
    electrons["kinetic"] = sums_.energy(
        occupations_, [](const auto& op, BandView<const Complex> psi) { return op.kinetic_energies(psi); });
    electrons["nonlocal"] =
        sums_.energy(occupations_, [](auto& op, BandView<const Complex> psi) { return op.nonlocal_energies(psi); });
    return all_energies(electrons, system_.terms.energies(density_.view(), linear_));
  }
  /// Of all states, which do not change. Local.
  [[nodiscard]] const std::vector<double>& occupations() const { return occupations_; }
  [[nodiscard]] const BandSums<Complex, Space>& sums() const { return sums_; }
  /// Of the phases in the last step. Local.
  [[nodiscard]] double error() const { return error_; }
  /// Estimated relative error of a frequency by the time step (StepScheme), that of the mean of the potential so far; 0
  /// where it does not change. Local.
  [[nodiscard]] double frequency_error() const {
    if (followed_ == 0 || !is_driven()) return 0;
    return scheme_.factor * std::pow(bend_squares_ / change_squares_, scheme_.order / 2);
  }
  /// Second halves of all steps so far. Local.
  [[nodiscard]] Index iterations() const { return iterations_; }
  /// Applications of H to a band in half a step, the most of this rank's k-points. Local.
  [[nodiscard]] int degree() const {
    int most = 0;
    for (const ChebyshevExponential& one : halves_) most = std::max(most, one.degree());
    return most;
  }

 private:
  static constexpr double margin = 0.05;  ///< of the width of the spectrum, at each of its ends
  static constexpr double slowest = 0.3;  ///< of the error from one iteration to the next
  static constexpr int fewest_followed = 8;
  static constexpr int start_parts = 16;  ///< of each of the first steps

  /// Without states that hold no electrons to rounding.
  [[nodiscard]] static std::vector<double> occupied_states(std::vector<double> occupations) {
    for (double& f : occupations)
      if (std::abs(f) < 1e-12) f = 0;
    return occupations;
  }
  [[nodiscard]] Index count_occupied(const KohnShamBands<Complex>& bands) const {
    return num_occupied(sums_.state_values(bands, occupations_));
  }
  [[nodiscard]] SpectrumBounds spectrum(BandOperator<Complex>& op) const {
    const double highest = spectrum_upper_bound<Complex>(op), a = drive_.vector_bound();
    const double shift = a * (std::sqrt(2 * std::max(0.0, highest - lowest_)) + 0.5 * a);  // of (p + A)^2/2
    const double rest = margin * (highest - lowest_) + drive_.bound() + shift;
    return {lowest_ - rest, highest + rest};
  }
  [[nodiscard]] BandView<Complex> occupied(std::size_t i) const {
    return system_.bands[i]->state.x.view().slice(0, occupied_[i]);
  }
  template <class View>
  [[nodiscard]] static auto elements(View view) {
    return std::span(view.data, static_cast<std::size_t>(view.rows * view.count));
  }
  [[nodiscard]] static Bands<Complex> copy(BandView<Complex> from) {
    Bands<Complex> to(from.rows, from.count);
    std::ranges::copy(elements(from), to.view().data);
    return to;
  }

  void prepare(double timestep) {
    if (timestep == timestep_) return;
    timestep_ = timestep;
    halves_ = exponentials(timestep);
    history_.restart();
    change_squares_ = bend_squares_ = 0;
    followed_ = 0;
  }
  using Exponentials = std::vector<ChebyshevExponential>;  ///< of half a step, for each k-point and spin
  [[nodiscard]] Exponentials exponentials(double timestep) const {
    Exponentials halves;
    for (const SpectrumBounds& bounds : spectra_) halves.emplace_back(bounds, 0.5 * timestep, exponential_error);
    return halves;
  }

  /// One step by enforced reversal with short ones, since the scheme needs more potentials before it.
  void start(double timestep) {
    const double part = timestep / start_parts;
    const StepScheme reversal = enforced_reversal();
    const Exponentials halves = exponentials(part);
    PotentialHistory parts = history_;
    parts.restart();
    for (int i = 0; i < start_parts; ++i) advance(part, reversal, halves, parts);
    history_.add(parts.present());
  }

  /// One step; adds the potential of its end to the history.
  void advance(double timestep, const StepScheme& scheme, const Exponentials& halves, PotentialHistory& history) {
    const bool is_implicit = scheme.first.potentials[0] != 0;
    const double share = std::abs(scheme.first.potentials[0]) + std::abs(scheme.second.potentials[0]);
    Potential next = history.next();
    if (!is_implicit) propagate_half(timestep, scheme.first, halves, history, next);
    drive_.move_to(time_ + timestep);
    std::vector<Bands<Complex>> begin;
    for (std::size_t i = 0; i < occupied_.size(); ++i) begin.push_back(copy(occupied(i)));
    for (double last = 0;; last = error_) {
      ++iterations_;
      if (is_implicit) propagate_half(timestep, scheme.first, halves, history, next);
      propagate_half(timestep, scheme.second, halves, history, next);
      absorb(timestep);
      ElectronDensity<Space> found = sums_.density(occupations_, next);
      LinearPotential potential = system_.terms.linear_potential(found.view());
      error_ = 0.5 * std::abs(timestep) * share * difference(found.values.n, potential.potential, next);
      if (error_ <= tolerance_) {
        time_ += timestep;
        density_ = std::move(found);
        history.add(potential.potential);
        linear_ = std::move(potential);
        return;
      }
      if (last > 0) require_progress(timestep, last);
      next = std::move(potential.potential);
      for (std::size_t i = 0; i < occupied_.size(); ++i) std::ranges::copy(elements(begin[i].view()), occupied(i).data);
    }
  }
  void absorb(double timestep) {
    if (absorption_.empty()) return;
    FieldValues change;
    for (const double w : absorption_) change.push_back(std::expm1(-w * timestep));
    for (std::size_t i = 0; i < occupied_.size(); ++i) add_product(system_.bands[i]->op, change, occupied(i));
  }
  void propagate_half(double timestep, const HalfStep& half, const Exponentials& halves,
                      const PotentialHistory& history, const Potential& next) {
    potential_.set(drive_.added_to(history.combination(next, half.potentials), half, time_, timestep));
    for (std::size_t i = 0; i < occupied_.size(); ++i) halves[i].apply(system_.bands[i]->op, occupied(i));
  }
  [[nodiscard]] double difference(const SpinFields& density, const Potential& a, const Potential& b) const {
    return mean_potential(system_.space, density, [&](std::size_t s, std::size_t i) { return a.v[s][i] - b.v[s][i]; });
  }
  /// Adds the squares of the last first and second differences of the potential in time. Throws bad_input where their
  /// ratio, of oscillations the square of w dt, is that of a time step longer than they are.
  void follow_frequency() {
    const Potential &now = history_.before(0), &last = history_.before(1), &first = history_.before(2);
    const SpinFields& density = density_.values.n;
    const double change = difference(density, now, last);
    const double bend = mean_potential(system_.space, density, [&](std::size_t s, std::size_t i) {
      return now.v[s][i] - 2 * last.v[s][i] + first.v[s][i];
    });
    change_squares_ += change * change;
    bend_squares_ += bend * bend;
    if (++followed_ < fewest_followed || !(bend_squares_ > change_squares_) || !is_driven()) return;
    throw bad_input("the time step of " + to_text(std::abs(timestep_)) +
                    " hbar/Ha is too long: the potential oscillates with a mean frequency of " +
                    to_text(std::sqrt(bend_squares_ / change_squares_) / std::abs(timestep_)) +
                    " Ha/hbar or more; valid: about " +
                    to_text(0.5 * std::abs(timestep_) * std::sqrt(change_squares_ / bend_squares_)));
  }
  /// Whether the potential changes by more than what the tolerance leaves to chance.
  [[nodiscard]] bool is_driven() const {
    return 0.5 * std::abs(timestep_) * std::sqrt(change_squares_ / followed_) > 30 * tolerance_;
  }
  /// The ratio of two errors is about proportional to the square of the step.
  void require_progress(double timestep, double last) const {
    if (error_ < slowest * last) return;
    const double enough = std::abs(timestep) * std::sqrt(0.3 * slowest * last / error_);
    throw bad_input("the time step of " + to_text(std::abs(timestep)) +
                    " hbar/Ha is too long: the potential at its end changes the phases by " + to_text(last) +
                    ", then " + to_text(error_) + "; valid: about " + to_text(enough) + ", or a larger tolerance");
  }

  ScfSystem<Complex, Space>& system_;
  StepScheme scheme_;
  DrivingField drive_;
  FieldValues absorption_;  ///< W; empty: none
  std::vector<double> occupations_;
  double lowest_;  ///< Ha
  double tolerance_;
  BandSums<Complex, Space> sums_;
  BandPotential<Complex, Space> potential_;
  std::vector<Index> occupied_;          ///< bands of each k-point and spin of this rank
  std::vector<SpectrumBounds> spectra_;  ///< of their operators
  Exponentials halves_;
  PotentialHistory history_;
  ElectronDensity<Space> density_;
  LinearPotential linear_;  ///< of that
  double timestep_ = 0, time_ = 0, error_ = 0;
  Index iterations_ = 0;
  double change_squares_ = 0, bend_squares_ = 0;  ///< of the potential from step to step, Ha^2
  int followed_ = 0;                              ///< steps in these sums
};

}  // namespace wavegrid
