// Propagation of Kohn-Sham bands by the steps of a scheme (step_scheme.hpp). The potential at the end of a step is
// extrapolated from those of the last steps, and computed again from the density that it leads to until the error of
// the bands' phases in the step, dt/2 times the mean difference of both potentials over the electrons, is below the
// tolerance.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/printable.hpp>
#include <wavegrid/eigen/chebyshev.hpp>
#include <wavegrid/linalg/rotate.hpp>
#include <wavegrid/propagation/chebyshev_exponential.hpp>
#include <wavegrid/propagation/driving_field.hpp>
#include <wavegrid/propagation/flow.hpp>
#include <wavegrid/propagation/implicit_midpoint.hpp>
#include <wavegrid/propagation/kick.hpp>
#include <wavegrid/propagation/potential_history.hpp>
#include <wavegrid/propagation/potential_mixing.hpp>
#include <wavegrid/propagation/step_exchange.hpp>
#include <wavegrid/propagation/step_scheme.hpp>
#include <wavegrid/scf/band_potential.hpp>
#include <wavegrid/scf/band_sums.hpp>
#include <wavegrid/scf/energies.hpp>

namespace wavegrid {

/// Bands with fixed occupations in a functional of n, and of rho_ij of the projectors. Members are collective over all
/// ranks unless they say "local".
template <FieldSpace Space>
class BandPropagator {
 public:
  using Complex = std::complex<double>;
  static constexpr double exponential_error = 1e-14;  ///< bound of the error of a band by one exponential

  /// The system must outlive it; its bands are those of time 0. `states`: their occupations, and the eigenvalues of the
  /// ground state, below which H has none. `start`: the potential of the bands' density, or one near it. `drive`: a
  /// field from outside, which is not in the energies. `exchange`: of a functional with exact exchange, in steps of the
  /// implicit midpoint rule alone.
  BandPropagator(ScfSystem<Complex, Space>& system, const ElectronStates& states, const Potential& start,
                 double tolerance, StepScheme scheme = enforced_reversal(), DrivingField drive = {},
                 std::unique_ptr<StepExchange> exchange = nullptr)
      : system_(system),
        scheme_(std::move(scheme)),
        drive_(std::move(drive)),
        exchange_(std::move(exchange)),
        occupations_(occupied_states(states.occupations)),
        lowest_(*std::ranges::min_element(states.eigenvalues)),
        tolerance_(tolerance),
        sums_(system),
        potential_(system) {
    if (exchange_ && !scheme_.is_midpoint)
      throw bad_input("exact exchange in time by exponentials; valid: the implicit midpoint rule");
    potential_.set(start);
    sums_.set_operator_points(potential_.operator_points());
    for (KohnShamBands<Complex>* bands : system_.bands) {
      bands->op.keep_overlap_inverse(true);
      occupied_.push_back(count_occupied(*bands));
    }
    find_first(start);
    find_spectra();
  }

  BandPropagator(const BandPropagator&) = delete;
  BandPropagator& operator=(const BandPropagator&) = delete;
  ~BandPropagator() {
    for (KohnShamBands<Complex>* bands : system_.bands) bands->op.keep_overlap_inverse(false);
  }

  /// One step of `timestep`, hbar/Ha, of either sign. Throws bad_input, naming a step that would do, where the
  /// potential of its end is not found.
  void step(double timestep) {
    prepare(timestep);
    if (scheme_.is_midpoint)
      advance_by_midpoint(timestep);
    else if (history_.size() < scheme_.history)
      start(timestep);
    else
      advance(timestep, scheme_, halves_, history_);
    if (history_.size() > 2) follow_frequency();
  }

  /// From now on each step multiplies bands by exp(-W dt); W, Ha, at the points of the operators. Local.
  void absorb_with(FieldValues absorption) { absorption_ = std::move(absorption); }

  /// Replaces the bands, which keep their density but for what augments it and tau, by work(k-point and spin, its
  /// occupied bands).
  template <class Work>
  void change_bands(const Work& work) {
    for (std::size_t i = 0; i < occupied_.size(); ++i) work(*system_.bands[i], occupied(i));
    exchange_energy_.reset();
    history_.restart();
    if (system_.terms.augmentation() == nullptr && !has_flow(history_.present())) return;
    find_first(Potential(history_.present()));
    if (has_flow(history_.present())) find_spectra();
    if (!halves_.empty()) halves_ = exponentials(timestep_);
  }

  /// What the steps so far have left besides the bands.
  struct Memory {
    PotentialHistory history{};
    double timestep = 0, time = 0;
    Index iterations = 0, applications = 0;
    double change_squares = 0, bend_squares = 0;
    int followed = 0;
  };
  /// Local.
  [[nodiscard]] Memory memory() const {
    return {history_, timestep_, time_, iterations_, applications_, change_squares_, bend_squares_, followed_};
  }
  /// Goes on from it with bands of that time. Local.
  void resume(Memory memory) {
    prepare(memory.timestep);
    history_ = std::move(memory.history);
    time_ = memory.time;
    iterations_ = memory.iterations;
    applications_ = memory.applications;
    change_squares_ = memory.change_squares;
    bend_squares_ = memory.bend_squares;
    followed_ = memory.followed;
  }

  /// Of the present time. Local.
  [[nodiscard]] const ElectronDensity<Space>& density() const { return density_; }
  /// Of that, without a field from outside. Local.
  [[nodiscard]] const Potential& potential() const { return history_.present(); }
  /// Gives the operators the potential of the present time, without a field from outside, in place of that of the last
  /// half step.
  void set_present_potential() { potential_.set(history_.present()); }
  /// The energies of the present time by their terms, Ha.
  [[nodiscard]] Energies energies() {
    NamedValues<double> electrons;
    electrons["kinetic"] = sums_.energy(
        occupations_, [](const auto& op, BandView<const Complex> psi) { return op.kinetic_energies(psi); });
    electrons["nonlocal"] =
        sums_.energy(occupations_, [](auto& op, BandView<const Complex> psi) { return op.nonlocal_energies(psi); });
    if (exchange_) electrons["exchange"] = present_exchange();
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
  /// Potentials at the end of a step, of all steps so far. Local.
  [[nodiscard]] Index iterations() const { return iterations_; }
  /// Of H to a band in all steps so far, in each part of a step the most of this rank's k-points. Local.
  [[nodiscard]] Index applications() const { return applications_; }

 private:
  static constexpr double margin = 0.05;  ///< of the width of the spectrum, at each of its ends
  static constexpr double slowest = 0.3;  ///< of the error from one iteration to the next
  static constexpr int fewest_followed = 8;
  static constexpr int start_parts = 16;         ///< of each of the first steps
  static constexpr int most_rounds = 20;         ///< of the potential at the end of a midpoint step
  static constexpr int most_applications = 300;  ///< of H to a band for one solution of a midpoint

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
    if (!scheme_.is_midpoint) halves_ = exponentials(timestep);
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
    drive_.move_terms_to(time_ + timestep);
    drive_.move_to(time_ + timestep);
    const std::vector<Bands<Complex>> begin = copies();
    for (double last = 0;; last = error_) {
      ++iterations_;
      if (is_implicit) propagate_half(timestep, scheme.first, halves, history, next);
      propagate_half(timestep, scheme.second, halves, history, next);
      absorb(timestep);
      Found found = find_potential(timestep, share, next);
      if (error_ <= tolerance_) return accept(timestep, std::move(found), history);
      if (last > 0) require_progress(timestep, last);
      next = std::move(found.potential.potential);
      for (std::size_t i = 0; i < occupied_.size(); ++i) std::ranges::copy(elements(begin[i].view()), occupied(i).data);
    }
  }

  /// The same by the implicit midpoint rule: solutions for a potential at the end, and potentials of these.
  void advance_by_midpoint(double timestep) {
    if (exchange_) (void)present_exchange();
    exchange_energy_.reset();
    Potential next = history_.next();
    drive_.move_terms_to(time_ + timestep);
    drive_.move_to(time_ + 0.5 * timestep);
    const std::vector<Bands<Complex>> begin = copies();
    std::vector<Bands<Complex>> middle = copies();
    const double least = std::max(0.05 * tolerance_, 2e-14);  // of a residual: below what a potential may change
    double limit = std::max(least, 1e-4);
    PotentialMixing<Space> mixing(system_.space, density_.values.n[0]);
    double first_error = 0, exchange_error = 1;
    const int rounds = exchange_ ? 3 * most_rounds : most_rounds;
    for (int round = 1;; ++round) {
      ++iterations_;
      const double residual = solve_midpoints(timestep, limit, next, begin, middle);
      absorb(timestep);
      Found found = find_potential(timestep, 1, next);
      const bool is_solved = error_ <= tolerance_ && residual <= tolerance_;
      const bool updates_exchange = exchange_ && (is_solved || error_ <= 0.1 * exchange_error);
      if (updates_exchange) {
        exchange_error = std::abs(timestep) * exchange_->set_mean(views(begin), occupied_views(), views(middle));
        error_ = std::max(error_, exchange_error);
      }
      if (is_solved && (!exchange_ || exchange_error <= tolerance_)) {
        drive_.move_to(time_ + timestep);
        return accept(timestep, std::move(found), history_);
      }
      if (round == 1) first_error = error_;
      if (round == rounds)
        throw bad_input("the time step of " + to_text(std::abs(timestep)) +
                        " hbar/Ha is too long: the potential at its end changes the phases by " + to_text(first_error) +
                        ", after " + std::to_string(round) + " iterations by " + to_text(error_) + "; valid: about " +
                        to_text(0.5 * std::abs(timestep)) + ", or a larger tolerance");
      limit = std::max(least, std::min(0.1 * limit, 0.03 * error_));
      if (residual <= 0.1 * error_ && !updates_exchange) {
        next = mixing.next(next, std::move(found.potential.potential));
      } else {  // the change of the potential is that of bands which were solved better, or in another exchange
        mixing.restart();
        next = std::move(found.potential.potential);
      }
    }
  }
  /// The bands at the end of a step with these potentials at its ends, from the middle; returns the largest residual.
  double solve_midpoints(double timestep, double limit, const Potential& next, const std::vector<Bands<Complex>>& begin,
                         std::vector<Bands<Complex>>& middle) {
    potential_.set(
        drive_.added_to(history_.combination(next, scheme_.first.potentials), scheme_.first, time_, timestep));
    double residual = 0;
    int most = 0;
    for (std::size_t i = 0; i < occupied_.size(); ++i) {
      auto& op = system_.bands[i]->op;
      const BandView<const Complex> from = begin[i].view();
      const MidpointSolution found = solve_midpoint(op, timestep, limit, most_applications, from, middle[i].view());
      leave_midpoint(op, from, std::as_const(middle[i]).view(), occupied(i));
      if (needs_turn(i) && occupied_[i] > 0) rotate_in_place<Complex>(op.product(), occupied(i), found.turn);
      residual = std::max(residual, found.residual);
      most = std::max(most, found.applications);
    }
    applications_ += most;
    residual = system_.groups.world().max(residual);
    if (residual > limit)
      throw bad_input("the time step of " + to_text(std::abs(timestep)) +
                      " hbar/Ha is too long: the implicit midpoint is not found by " +
                      std::to_string(most_applications) + " applications of H; valid: about " +
                      to_text(0.5 * std::abs(timestep)));
    return residual;
  }
  /// Whether the density depends on which bands of the same span these are.
  [[nodiscard]] bool needs_turn(std::size_t i) const {
    const std::vector<double> f = sums_.state_values(*system_.bands[i], occupations_);
    return !absorption_.empty() || std::ranges::any_of(std::span(f).first(static_cast<std::size_t>(occupied_[i])),
                                                       [&](double one) { return std::abs(one - f[0]) > 1e-12; });
  }

  struct Found {
    ElectronDensity<Space> density;
    LinearPotential potential;
  };
  [[nodiscard]] static bool has_flow(const Potential& potential) { return !potential.v_tau.empty(); }
  /// Of the bands, in a potential that has the same parts.
  [[nodiscard]] Found find(const Potential& potential) {
    ElectronDensity<Space> density = sums_.density(occupations_, potential);
    Flow flow;
    if (has_flow(potential)) flow = take_off_flow(system_.space, sums_.current(occupations_), density);
    LinearPotential found = system_.terms.linear_potential(density.view());
    if (has_flow(potential)) add_flow(std::move(flow), found.potential);
    return {std::move(density), std::move(found)};
  }
  /// The same at a time before which nothing is known.
  void find_first(const Potential& potential) {
    Found found = find(potential);
    density_ = std::move(found.density);
    linear_ = std::move(found.potential);
    history_ = {};
    history_.add(linear_.potential);
  }
  void find_spectra() {
    if (has_flow(history_.present())) potential_.set(history_.present());
    spectra_.clear();
    for (KohnShamBands<Complex>* bands : system_.bands) spectra_.push_back(spectrum(bands->op));
  }
  /// Of the bands; sets the error by a potential that was assumed for them.
  [[nodiscard]] Found find_potential(double timestep, double share, const Potential& assumed) {
    Found found = find(assumed);
    const DensityValues& density = found.density.values;
    const Potential& potential = found.potential.potential;
    const double change =
        std::hypot(difference(density.n, potential, assumed), mean_matrices(density.matrices, potential, assumed),
                   mean_flow(density, potential, assumed));
    error_ = 0.5 * std::abs(timestep) * share * change;
    return found;
  }
  void accept(double timestep, Found found, PotentialHistory& history) {
    time_ += timestep;
    density_ = std::move(found.density);
    history.add(found.potential.potential);
    linear_ = std::move(found.potential);
  }
  [[nodiscard]] static StepExchange::Views views(const std::vector<Bands<Complex>>& bands) {
    StepExchange::Views all;
    for (const Bands<Complex>& one : bands) all.push_back(one.view());
    return all;
  }
  [[nodiscard]] StepExchange::Views occupied_views() const {
    StepExchange::Views all;
    for (std::size_t i = 0; i < occupied_.size(); ++i) all.push_back(occupied(i));
    return all;
  }
  /// E_x of the present bands, whose V_x the operators then have.
  double present_exchange() {
    if (!exchange_energy_) exchange_energy_ = exchange_->set_present(occupied_views());
    return *exchange_energy_;
  }
  [[nodiscard]] std::vector<Bands<Complex>> copies() const {
    std::vector<Bands<Complex>> all;
    for (std::size_t i = 0; i < occupied_.size(); ++i) all.push_back(copy(occupied(i)));
    return all;
  }
  void absorb(double timestep) {
    if (absorption_.empty()) return;
    FieldValues change;
    for (const double w : absorption_) change.push_back(std::expm1(-w * timestep));
    change.resize(change.size() * static_cast<std::size_t>(history_.present().num_fields()));
    for (std::size_t i = 0; i < occupied_.size(); ++i) add_product(system_.bands[i]->op, change, occupied(i));
  }
  void propagate_half(double timestep, const HalfStep& half, const Exponentials& halves,
                      const PotentialHistory& history, const Potential& next) {
    potential_.set(drive_.added_to(history.combination(next, half.potentials), half, time_, timestep));
    int most = 0;
    for (std::size_t i = 0; i < occupied_.size(); ++i) {
      halves[i].apply(system_.bands[i]->op, occupied(i));
      most = std::max(most, halves[i].degree());
    }
    applications_ += most;
  }
  [[nodiscard]] double difference(const SpinFields& density, const Potential& a, const Potential& b) const {
    return mean_potential(system_.space, density, [&](std::size_t s, std::size_t i) { return a.v[s][i] - b.v[s][i]; });
  }
  /// Of the derivatives by rho_ij, Ha: sum_s,a,ij |rho_ij (h_ij - h_ij)| for an electron.
  [[nodiscard]] double mean_matrices(const SpinMatrices& rho, const Potential& a, const Potential& b) const {
    double sum = 0;
    for (std::size_t s = 0; s < a.matrices.size(); ++s)
      for (std::size_t atom = 0; atom < a.matrices[s].size(); ++atom)
        for (Index i = 0; i < rho[0][atom].size(); ++i)
          sum += std::abs(rho[0][atom].data()[i] * (a.matrices[s][atom].data()[i] - b.matrices[s][atom].data()[i]));
    return a.matrices.empty() ? 0.0 : sum / static_cast<double>(a.matrices.size()) / system_.electrons.count;
  }
  /// Of dE/dtau and dE/dj, Ha: int (|dv_tau| tau + |da| (2 n tau)^(1/2)) for an electron, with the sum of the channels.
  [[nodiscard]] double mean_flow(const DensityValues& density, const Potential& a, const Potential& b) const {
    if (!has_flow(a)) return 0;
    const double sum = system_.space.integrate([&](std::size_t i) {
      double change = 0, current = 0;
      for (std::size_t s = 0; s < a.v_tau.size(); ++s) change += std::abs(a.v_tau[s][i] - b.v_tau[s][i]);
      for (std::size_t c = 0; c < a.v_current.size(); ++c)
        current += std::pow(a.v_current[c][i] - b.v_current[c][i], 2);
      const double tau = std::max(0.0, density.tau[0][i]);
      return change * tau + std::sqrt(2 * std::max(0.0, density.n[0][i]) * tau * current);
    });
    return sum / system_.electrons.count;
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
  std::unique_ptr<StepExchange> exchange_;
  std::optional<double> exchange_energy_;  ///< of the present bands, where the operators have their V_x
  FieldValues absorption_;                 ///< W; empty: none
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
  Index iterations_ = 0, applications_ = 0;
  double change_squares_ = 0, bend_squares_ = 0;  ///< of the potential from step to step, Ha^2
  int followed_ = 0;                              ///< steps in these sums
};

}  // namespace wavegrid
