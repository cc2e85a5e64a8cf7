// Electrons in the bands of the Kohn-Sham equations: each step improves them by an eigensolver in the present
// potential.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <wavegrid/scf/band_accuracy.hpp>
#include <wavegrid/scf/band_potential.hpp>
#include <wavegrid/scf/density_error.hpp>
#include <wavegrid/scf/electron_solver.hpp>
#include <wavegrid/scf/occupied_bands.hpp>
#include <wavegrid/scf/scf_options.hpp>

namespace wavegrid {

/// The bands of a system and their occupations. For bands that exist already `start` is not called: their X is used,
/// HX, SX and Ritz values are computed again, and if they are fewer than `bands_per_k` the lowest states of their
/// complement are added.
template <class S, FieldSpace Space>
class KohnShamSolver final : public ElectronSolver<Space> {
 public:
  /// The system must outlive this object. `searches_missed`: verify() looks for states that the eigensolver has missed;
  /// not needed for bands that converged in single precision, where this was done.
  KohnShamSolver(ScfSystem<S, Space>& system, BandStart<S> start, const ScfOptions& options, bool searches_missed)
      : system_(system),
        start_(std::move(start)),
        tolerance_(options.energy_tolerance),
        searches_missed_(searches_missed),
        fixed_density_(options.fixed_density),
        bands_(system, tolerance_),
        potential_(system),
        accuracy_(options.many_bands, tolerance_) {}

  void begin(ScfPoint<Space>& at, ElectronStates& /*states*/) override {
    potential_.set(at.potential.potential);
    bands_.begin(start_, potential_.operator_points());
  }

  /// Rounds of the eigensolver until the bands are as accurate as their density needs them; in between, occupations and
  /// the error of the density are those of the first round.
  ElectronErrors solve(ScfPoint<Space>& at, ElectronStates& states) override {
    bands_.improve();
    ElectronErrors errors = evaluate(at, states);
    accuracy_.begin_step(errors.density);
    // bands that are locked do not answer a change of the density
    bands_.lock_for(accuracy_.is_slow() ? slow_share * std::min(tolerance_, errors.density) : tolerance_);
    if (!accuracy_.next_round(errors.electrons, errors.density)) return errors;
    do {
      bands_.improve();
      errors.electrons = bands_.estimate_errors(states, errors.density);
    } while (accuracy_.next_round(errors.electrons, errors.density));
    return evaluate(at, states);
  }

  ElectronErrors evaluate(ScfPoint<Space>& at, ElectronStates& states) override {
    bands_.occupy(states, at.potential.potential);
    const double change = fixed_density_ ? 0.0 : system_.terms.change_energy(at.density, bands_.output().fields);
    return {bands_.estimate_errors(states, change), change};
  }

  /// Updates H psi by the change of the potential, where the eigensolver keeps it.
  void potential_changed(const Potential& potential) override {
    const auto change = potential_.change_to(potential);
    for (KohnShamBands<S>* bands : system_.bands)
      bands->solver.potential_changed(bands->op, bands->state, change[static_cast<std::size_t>(bands->spin)]);
  }

  [[nodiscard]] ElectronDensity<Space>& density() override { return bands_.output(); }
  /// The nonlocal energy is deduced from the eigenvalues.
  [[nodiscard]] NamedValues<double> energies(const ElectronStates& states) override { return bands_.energies(states); }
  /// In single precision E_xc to first order: half the time on the grid.
  [[nodiscard]] std::optional<TermEnergies> term_energies(const ScfPoint<Space>& at) override {
    const ElectronDensity<Space>& found = bands_.output();
    if (!is_single<S> || !system_.terms.allows_first_order(found.view())) return {};
    return system_.terms.energies_near(at.density, at.potential, found.fields, found.potential_energy);
  }
  /// Computes the nonlocal energy from the bands themselves and compares it with the value from the eigenvalues.
  /// Energies of single precision are not reported.
  void finish_energies(const ScfPoint<Space>& /*at*/, ElectronStates& states, Energies& energies) override {
    if (is_single<S>) return;
    const double nonlocal = bands_.nonlocal_energy(states);
    states.hpsi_deviation = nonlocal - energies.at("nonlocal");
    energies["nonlocal"] = nonlocal;
  }
  /// Recovers missed states, and computes H psi again where its updates have become inaccurate.
  [[nodiscard]] bool verify(const ScfPoint<Space>& /*at*/, ElectronStates& states, bool small) override {
    if (!small) return false;
    if (hpsi_inconsistent(states)) {
      bands_.orthonormalise_all();
      return false;
    }
    const int found = searches_missed_ ? bands_.recover(states) : 0;
    states.recovered_states += found;
    return found == 0;
  }

  [[nodiscard]] bool is_reliable() const override { return bands_.all_reliable(); }
  [[nodiscard]] bool is_single_precision() const override { return is_single<S>; }
  [[nodiscard]] FieldValues local_density_of_states(const ElectronStates& states) override {
    return bands_.sums().local_density_of_states(states);
  }
  [[nodiscard]] Index num_bands() const override { return system_.bands_per_k; }
  [[nodiscard]] Index applications() const override { return bands_.applications(); }

 private:
  static constexpr double slow_share = 0.01;  ///< of tolerance and error, for locked bands in a loop that is slow

  /// Whether H psi, as the eigensolvers have updated it, gives another nonlocal energy than the bands do.
  [[nodiscard]] bool hpsi_inconsistent(const ElectronStates& states) const {
    const double limit = std::max(tolerance_, 1e-9 * system_.electrons.count);
    return !(std::abs(states.hpsi_deviation) <= limit);
  }

  ScfSystem<S, Space>& system_;
  BandStart<S> start_;
  double tolerance_;  ///< of the loop, Ha
  bool searches_missed_;
  bool fixed_density_;  ///< the density does not follow the bands: its change is no error
  OccupiedBands<S, Space> bands_;
  BandPotential<S, Space> potential_;
  BandAccuracy accuracy_;
};

}  // namespace wavegrid
