// The bands of a system in the present potential: their occupations, their density and its energy, their errors.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include <wavegrid/eigen/band_errors.hpp>
#include <wavegrid/eigen/missed_states.hpp>
#include <wavegrid/scf/band_sums.hpp>

namespace wavegrid {

/// |R|^2 below which an empty band is converged, Ha^2: an error of 1e-7 Ha if its neighbours are 0.1 Ha away.
inline constexpr double lock_empty = 1e-8;

/// Members are collective over all ranks unless they say "local".
template <class S, FieldSpace Space>
class OccupiedBands {
 public:
  /// The system must outlive this object. `tolerance`: of the loop, Ha.
  OccupiedBands(ScfSystem<S, Space>& system, double tolerance)
      : system_(system),
        tolerance_(tolerance),
        lock_tolerance_(tolerance),
        sums_(system),
        applications_before_(all_applications()) {}

  /// Makes initial bands where there are none, after the potential was set at `points` points of this rank's operators.
  /// Bands that exist get HX, SX and Ritz values again, and more bands if they are too few.
  void begin(const BandStart<S>& start, Index points) {
    sums_.set_operator_points(points);
    world().collectively([&] {  // `start` may fail on one k-point group
      for (KohnShamBands<S>* bands : system_.bands) {
        if (bands->state.x.count() == 0)
          bands->state = start(*bands);
        else
          adopt(*bands);
      }
    });
  }

  /// Bands are locked at residuals that this tolerance allows, Ha, from the next estimate on. Local.
  void lock_for(double tolerance) { lock_tolerance_ = tolerance; }

  /// One round of the eigensolver on all bands.
  void improve() {
    for (KohnShamBands<S>* bands : system_.bands) {
      bands->op.prepare_round();
      bands->solver.improve(bands->op, bands->state);
    }
  }

  /// Orthonormal bands with exact HX and SX, and solvers without history.
  void orthonormalise_all() {
    world().collectively([&] {
      for (KohnShamBands<S>* bands : system_.bands) orthonormalise(*bands);
    });
  }

  /// Computes the occupations and the output density, found in `potential`.
  void occupy(ElectronStates& states, const Potential& potential) {
    fill(states, potential);
    if (!wrong_electron_count()) return;
    orthonormalise_all();
    fill(states, potential);
  }

  /// Computes the residuals of all states and their error, which is returned, and passes both to the solvers.
  /// `density_error`: of the change of the density, as far as it adds to the error of a loop. All errors in Ha.
  double estimate_errors(ElectronStates& states, double density_error) {
    double all = 0;
    std::vector<BandErrors> set_errors;
    std::vector<std::vector<double>> norms;
    for (KohnShamBands<S>* bands : system_.bands) {
      set_errors.emplace_back(bands->state.values, sums_.state_values(*bands, states.occupations),
                              compute_residuals<S>(bands->op, bands->state));
      const std::vector<double>& squares = set_errors.back().squared_residuals();
      all += set_errors.back().total();
      std::transform(squares.begin(), squares.end(), norms.emplace_back(squares.size()).begin(),
                     [](double square) { return std::sqrt(square); });
    }
    states.residuals = gather_states(system_.groups, system_.bands, system_.table(), norms);
    error_ = sums_.over_kpoint_groups(all);
    const double distance = (error_ + density_error) / tolerance_;
    for (std::size_t i = 0; i < set_errors.size(); ++i) {
      BandSolver<S>& solver = system_.bands[i]->solver;
      solver.update_convergence(set_errors[i].total(), distance);
      solver.lock_below(lock_bounds(system_.bands[i]->k, set_errors[i]));
    }
    return error_;
  }

  /// Their error in the last estimate, Ha. Local.
  [[nodiscard]] double error() const { return error_; }
  /// Their density. Local.
  [[nodiscard]] ElectronDensity<Space>& output() { return output_; }
  [[nodiscard]] BandSums<S, Space>& sums() { return sums_; }

  [[nodiscard]] bool all_reliable() const {
    const bool mine = std::all_of(system_.bands.begin(), system_.bands.end(),
                                  [](const KohnShamBands<S>* bands) { return bands->solver.residual_is_reliable(); });
    return world().min(mine ? 1 : 0) == 1;
  }

  /// The terms of bands. sum_i f_i eps_i is the kinetic and the nonlocal energy and that in the potential in which the
  /// density was found, so that the nonlocal one needs no projectors.
  [[nodiscard]] NamedValues<double> energies(const ElectronStates& states) {
    const double kinetic = kinetic_energy(states);
    const double exchange = system_.exchange_offset ? exchange_expectation(states) : 0.0;
    const double nonlocal = band_energy(states) - output_.potential_energy - kinetic - exchange;
    if (!system_.exchange_offset) return energies(kinetic, nonlocal);
    return energies(kinetic, nonlocal, exchange + *system_.exchange_offset);
  }
  /// The same of given energies; `exchange`: of operators that have exact exchange. Local.
  [[nodiscard]] NamedValues<double> energies(double kinetic, double nonlocal,
                                             std::optional<double> exchange = std::nullopt) const {
    NamedValues<double> all;
    all["kinetic"] = kinetic;
    all["nonlocal"] = nonlocal;
    if (exchange) all["exchange"] = *exchange;
    all["entropy"] = minus_ts_;
    return all;
  }
  /// sum_i f_i <psi_i|V_x|psi_i>, Ha.
  [[nodiscard]] double exchange_expectation(const ElectronStates& states) {
    return sums_.energy(states.occupations, [](auto& op, BandView<const S> psi) { return op.exchange_energies(psi); });
  }

  /// sum_i f_i eps_i, Ha. Pure.
  [[nodiscard]] static double band_energy(const ElectronStates& states) {
    return std::inner_product(states.eigenvalues.begin(), states.eigenvalues.end(), states.occupations.begin(), 0.0);
  }

  /// Of the bands themselves, Ha.
  [[nodiscard]] double kinetic_energy(const ElectronStates& states) {
    return sums_.energy(states.occupations,
                        [](const auto& op, BandView<const S> psi) { return op.kinetic_energies(psi); });
  }

  [[nodiscard]] double nonlocal_energy(const ElectronStates& states) {
    return sums_.energy(states.occupations, [](auto& op, BandView<const S> psi) { return op.nonlocal_energies(psi); });
  }

  /// Recovers missed states at all k-points, and restarts the solver where there were some. Returns their number.
  int recover(const ElectronStates& states) {
    int found = 0;
    for (KohnShamBands<S>* bands : system_.bands) {
      std::vector<double> occupations = sums_.state_values(*bands, states.occupations);
      for (double& f : occupations) f /= system_.k_weights[static_cast<std::size_t>(bands->k)];
      const int here = recover_missed_states<S>(bands->op, bands->state, occupations, tolerance_);
      if (here > 0) bands->solver.restart();
      found += here;
    }
    return static_cast<int>(std::lround(sums_.over_kpoint_groups(found)));
  }

  /// Applications of H by all k-points since this object was made.
  [[nodiscard]] Index applications() const { return all_applications() - applications_before_; }

 private:
  [[nodiscard]] const Comm& world() const { return system_.groups.world(); }

  [[nodiscard]] Index all_applications() const {
    const Index mine =
        std::accumulate(system_.bands.begin(), system_.bands.end(), Index{0},
                        [](Index sum, const KohnShamBands<S>* bands) { return sum + bands->op.applications(); });
    return static_cast<Index>(std::llround(sums_.over_kpoint_groups(static_cast<double>(mine))));
  }

  /// The solver's earlier directions have HX in another potential.
  void adopt(KohnShamBands<S>& bands) {
    orthonormalise(bands);
    if (bands.state.x.count() == system_.bands_per_k) return;
    bands.solver.lock_below({});  // the bounds are those of fewer bands
    add_bands<S>(bands.op, bands.state, system_.bands_per_k);
  }

  void orthonormalise(KohnShamBands<S>& bands) {
    bands.solver.restart();
    const auto guard = bands.op.time(Phase::linear_algebra);
    apply_h_and_s<S>(bands.op, bands.state.view());
    rayleigh_ritz<S>(bands.op, bands.state);
  }

  void fill(ElectronStates& states, const Potential& potential) {
    minus_ts_ = occupy_bands(system_, states);
    output_ = sums_.density(states.occupations, potential);
  }

  /// Whether the density lacks electrons or has too many: then the bands are no longer orthonormal.
  [[nodiscard]] bool wrong_electron_count() const {
    constexpr double share = is_single<S> ? 1e-3 : 1e-9;
    const double found = system_.space.integrate([&](std::size_t i) { return output_.values.n[0][i]; });
    return !(std::abs(found - system_.electrons.count) <= share * system_.electrons.count);
  }

  /// Residual bounds below which bands of this k-point are locked: together they add at most a tenth of their
  /// tolerance to the error estimate. Nearly empty states may have larger residuals, up to a limit that keeps their
  /// eigenvalues accurate. Local.
  [[nodiscard]] LockBounds lock_bounds(int k, const BandErrors& errors) const {
    const double full = system_.k_weights[static_cast<std::size_t>(k)] * system_.electrons.full();
    const double electron_tolerance = 0.1 * lock_tolerance_ / system_.electrons.count;
    LockBounds bounds = errors.bounds(electron_tolerance * full);
    for (double& bound : bounds) bound = std::min(bound, std::max(0.5 * electron_tolerance, lock_empty));
    return bounds;
  }

  ScfSystem<S, Space>& system_;
  double tolerance_, lock_tolerance_;  ///< of the loop, and of locked bands, Ha
  BandSums<S, Space> sums_;
  ElectronDensity<Space> output_;
  double minus_ts_ = 0, error_ = 0;  ///< Ha
  Index applications_before_;        ///< of H, by earlier loops on the same operators
};

}  // namespace wavegrid
