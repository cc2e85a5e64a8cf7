// The loops of one solve of a calculation: in single and in double precision, again where bands are added.
#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <wavegrid/base/scope_timer.hpp>
#include <wavegrid/calculation/activity.hpp>
#include <wavegrid/calculation/augmentation.hpp>
#include <wavegrid/calculation/band_system.hpp>
#include <wavegrid/calculation/calculation_bands.hpp>
#include <wavegrid/calculation/checkpoint_writer.hpp>
#include <wavegrid/calculation/derivatives.hpp>
#include <wavegrid/calculation/energy_terms.hpp>
#include <wavegrid/calculation/exact_exchange.hpp>
#include <wavegrid/calculation/repeated_loops.hpp>
#include <wavegrid/calculation/result.hpp>
#include <wavegrid/calculation/shell_occupations.hpp>
#include <wavegrid/calculation/state_writer.hpp>
#include <wavegrid/scf/make_electron_solver.hpp>

namespace wavegrid {

/// What the loops use of a calculation; its density and bands become those of the result.
template <class D, class S>
struct SolveParts {
  Setting& setting;
  D& discretisation;
  CalculationBands<D, S>& bands;
  Problem& problem;  ///< its number of bands may grow
  EnergyTerms<typename D::Space>& potential;
  Density<typename D::Space>& density;
  std::optional<typename D::Restart>& restart;
  CheckpointRecord& checkpoints;
  /// Of the bands that there are, of all k-points, electrons; empty where they are not known.
  const std::vector<double>& occupations;
};

/// Members are collective over the world.
template <class D, class S>
class SelfConsistency {
 public:
  using Space = typename D::Space;
  template <class T>
  using KPointBands = typename D::template KPointBands<T>;

  /// Parts, listener and observer must outlive this object.
  SelfConsistency(const SolveParts<D, S>& parts, const ScfStepListener<Space>& step, const ActivityObserver& activity)
      : parts_(parts),
        step_(step),
        activity_(activity),
        checkpoints_(parts.problem, parts.setting.groups.world(), parts.checkpoints) {}

  /// Solves, writes checkpoints and computes derivatives. Times and counts of the whole solve are not set.
  [[nodiscard]] CalculationResult run() {
    CalculationResult result;
    choose_mixing(result);
    Earlier earlier;
    if (parts_.problem.exchange)
      run_with_exchange(result, earlier);
    else
      run_loops(result, earlier);
    finish(result);
    result.bands = parts_.problem.bands;
    if (parts_.restart) result.restart = parts_.restart->report(parts_.setting.groups);
    result.scf.stopped = result.scf.stopped || checkpoints_.asked_to_stop();
    result.stop_signal = checkpoints_.signal();
    result.checkpoint = parts_.checkpoints.report;
    return result;
  }

  /// The exact exchange of the bands of run(), of a hybrid functional.
  [[nodiscard]] ExactExchange<D, S>& exchange() { return outer_->exchange; }

  /// Initial bands in the present potential: those of the restart file where it has them.
  template <class T>
  [[nodiscard]] EigenState<T> initial_bands(KPointBands<T>& bands, Index count) {
    if (parts_.restart)
      if (auto state = parts_.restart->template bands<T>(bands, count)) return std::move(*state);
    return parts_.discretisation.template initial_bands<T>(bands, parts_.problem, count);
  }

 private:
  using Earlier = std::optional<EarlierSteps<Space>>;
  /// The outer loop of exact exchange.
  struct Outer {
    ExactExchange<D, S> exchange;
    double tolerance;  ///< Ha
    OuterError error{};
    bool has_exchange = false;  ///< not in the loop with PBE, which finds the first bands
    bool finished = false;
    bool in_single = false;  ///< pairs of the exchange in use
  };
  template <class T>
  using Sets = BandSets<D, T>;

  void choose_mixing(CalculationResult& result) {
    const Problem& problem = parts_.problem;
    options_ = problem.scf;
    result.preconditioner = problem.preconditioner
                                ? PreconditionerChoice{*problem.preconditioner, "set in the input"}
                                : parts_.discretisation.choose_preconditioner(problem, parts_.density.n);
    options_.mixer.preconditioner.kind = result.preconditioner.kind;
    if (activity_ && options_.method == ScfMethod::mixing)
      activity_({.stage = Stage::mixing, .preconditioner = result.preconditioner});
    options_.many_bands = parts_.setting.eigensolver.kind != Eigensolver::lobpcg;
    options_.may_change_preconditioner =
        !problem.preconditioner && parts_.discretisation.may_change_preconditioner(problem);
  }

  void run_loops(CalculationResult& result, Earlier& earlier) {
    result.mixed_precision = D::begins_in_single(parts_.problem);
    if (result.mixed_precision) run_in_single(result, earlier);
    if (earlier && earlier->last.stopped) {
      result.scf = std::move(earlier->last);
      parts_.bands.drop_states();
    } else {
      run_in_double(result, earlier);
    }
  }

  /// Loops with the exchange of the bands before, until that of their own gives the same energy. Each is as accurate as
  /// the error that the outer loop leaves.
  void run_with_exchange(CalculationResult& result, Earlier& earlier) {
    constexpr double share = 0.1, share_at_end = 0.3;  // of the outer error, of the tolerance
    constexpr double first = 1e-5;                     // Ha per electron: of the first loop with exchange
    const ExchangeOptions& exchange = *parts_.problem.exchange;
    const double tolerance = exchange.tolerance.value_or(parts_.problem.scf.energy_tolerance);
    const auto set_tolerance = [&](double wanted) {
      options_.energy_tolerance = std::max(wanted, share_at_end * tolerance);
    };
    outer_.emplace(Outer{{parts_.setting.groups, parts_.discretisation.exchange_setting(parts_.problem)}, tolerance});
    set_tolerance(tolerance);  // what bands of PBE lack of the crystal's symmetry falls slowly in the outer loop
    if (!take_present_bands()) {
      find_first_bands(result, earlier);
      if (result.scf.stopped) return;
    }
    outer_->has_exchange = true;
    set_tolerance(first * parts_.setting.electrons);
    for (;;) {
      outer_->exchange.use(parts_.bands.in_double(parts_.problem));
      run_in_double(result, earlier);
      if (result.scf.stopped) return;
      if (outer_->finished) break;
      set_tolerance(share * outer_->error.next());
      earlier = followed_by(std::move(result.scf));
    }
    if (outer_->exchange.is_shifted()) remove_shift(result.scf);
    result.scf.energies["exchange"] = outer_->exchange.energy();
    result.scf.error_estimate += outer_->error.estimate();
    result.scf.converged = result.scf.converged && result.scf.error_estimate < tolerance;
    result.exact_exchange = outer_->exchange.report();
    result.exact_exchange->error = outer_->error.estimate();
  }

  /// Exchange of bands that there are, with their occupations: whether there are any. Collective.
  [[nodiscard]] bool take_present_bands() {
    const Problem& problem = parts_.problem;
    const StateTable table{static_cast<Index>(problem.kpoints.size()), problem.spins, problem.bands};
    auto& sets = parts_.bands.in_double(problem);
    const std::vector<double> occupations = parts_.restart ? parts_.restart->occupations(problem) : parts_.occupations;
    if (static_cast<Index>(occupations.size()) != table.size()) return false;
    bool all = true;
    world().collectively([&] {
      for (auto& one : sets) {
        if constexpr (D::has_file_orbitals)
          if (parts_.restart && one->state.x.count() == 0)
            if (auto x = parts_.restart->template orbitals<S>(*one, problem.bands)) {
              one->state = EigenState<S>(x->rows(), x->count(), false);
              one->state.x = std::move(*x);
            }
        all = all && one->state.x.count() == problem.bands;
      }
    });
    if (world().min(all ? 1 : 0) == 0) return false;
    outer_->exchange.update(sets, problem.bands, occupations, false, false, has_full_bands());
    return true;
  }

  /// Whether the bands with electrons are full, and as many in all loops.
  [[nodiscard]] bool has_full_bands() const {
    const Problem& problem = parts_.problem;
    return problem.smearing.kind == SmearingKind::fixed && problem.occupations.empty() &&
           (problem.spins == 1 || problem.total_magnetisation);
  }

  /// Levels become those with V_x of their own bands, and fermi the highest of them with electrons.
  void remove_shift(ScfResult& scf) {
    const Problem& problem = parts_.problem;
    auto& sets = parts_.bands.in_double(problem);
    const std::vector<double> changes = outer_->exchange.level_changes(sets, problem.bands, scf.occupations);
    const StateTable table{static_cast<Index>(problem.kpoints.size()), problem.spins, problem.bands};
    scf.fermi.assign(scf.fermi.size(), std::numeric_limits<double>::lowest());
    for (Index k = 0; k < table.num_k; ++k)
      for (int spin = 0; spin < table.spins; ++spin) {
        const auto first = static_cast<std::size_t>(table.first(k, spin)),
                   bands = static_cast<std::size_t>(table.bands);
        const std::span<double> levels(scf.eigenvalues.data() + first, bands);
        for (std::size_t b = 0; b < bands; ++b) levels[b] += changes[first + b];
        const Index occupied = num_occupied(std::span<const double>(scf.occupations).subspan(first, bands));
        std::sort(levels.begin(), levels.begin() + occupied);
        std::sort(levels.begin() + occupied, levels.end());
        double& fermi = scf.fermi[scf.fermi.size() == 2 ? static_cast<std::size_t>(spin) : 0];
        if (occupied > 0) fermi = std::max(fermi, levels[static_cast<std::size_t>(occupied - 1)]);
      }
    for (auto& one : sets) {
      const auto levels = scf.eigenvalues.begin() + table.first(one->k, one->spin);
      one->state.values.assign(levels, levels + table.bands);
    }
  }

  /// The bands of PBE, to which the first exchange belongs. Their steps are not limited by those of the problem.
  void find_first_bands(CalculationResult& result, Earlier& earlier) {
    Problem start = parts_.problem;
    start.xc = "PBE";
    start.exchange.reset();
    start_terms_.emplace(make_energy_terms(world(), parts_.discretisation.space(), start, parts_.setting.electrons,
                                           std::make_shared<AugmentationChoice>(first_choice(start))));
    parts_.density.tau.clear();
    run_loops(result, earlier);
    start_terms_.reset();
    if (result.scf.stopped) return;
    options_.max_steps += result.scf.steps;
    earlier = followed_by(std::move(result.scf));
  }

  /// After a loop with exact exchange: computes that of its bands. Whether this is the last loop.
  [[nodiscard]] bool update_exchange(const ScfResult& at) {
    bool in_single = pairs_in_single(at);
    const OuterError before = outer_->error;
    compute_exchange(at, in_single);
    if (outer_->has_exchange && finish_outer(at, in_single) && in_single) {
      in_single = false;
      outer_->error = before;
      compute_exchange(at, in_single);
      finish_outer(at, in_single);
    }
    outer_->in_single = in_single;
    return outer_->finished;
  }

  void compute_exchange(const ScfResult& at, bool in_single) {
    const Problem& problem = parts_.problem;
    outer_->exchange.update(parts_.bands.template present<S>(), problem.bands, at.occupations, in_single,
                            problem.derivatives.stress && outer_->has_exchange, has_full_bands());
  }

  /// Whether the loop ends with the exchange just computed.
  bool finish_outer(const ScfResult& at, bool in_single) {
    const double rounding = in_single || outer_->in_single ? rounding_in_single() : 0;
    outer_->error.add(at.energies.at("exchange"), outer_->exchange.energy(), rounding);
    outer_->finished = (at.converged && at.error_estimate + outer_->error.estimate() < outer_->tolerance) ||
                       at.steps >= options_.max_steps;
    return outer_->finished;
  }

  /// Ha: a bound of what pairs in single precision change of E_x (tests/unit/test_pair_exchange.cpp).
  [[nodiscard]] double rounding_in_single() const { return 1e-7 * std::abs(outer_->exchange.energy()); }

  /// Whether pairs of the next computation are transformed in single precision: until one of the two differences that
  /// the outer loop takes with it is expected to come near to rounding, or the loop to end, or to be slow; never again
  /// after that. V_x of earlier steps only has to lead to the same bands: its error enters the energy squared.
  [[nodiscard]] bool pairs_in_single(const ScfResult& at) const {
    constexpr double margin = 3;
    if (parts_.problem.precision == Precision::double_only) return false;
    if (!outer_->has_exchange) return true;
    if (!outer_->in_single) return false;
    const std::optional<double> difference = outer_->error.difference_after_next();
    if (!difference) return true;
    return *difference > margin * rounding_in_single() && !outer_->error.is_slow() &&
           at.error_estimate + outer_->error.next() > outer_->tolerance;
  }

  /// The counts of a loop for another one.
  [[nodiscard]] EarlierSteps<Space> followed_by(ScfResult last) const {
    return {.mixer = {parts_.discretisation.space(), options_.mixer},
            .stagnation = Stagnation(options_.may_change_preconditioner),
            .last = std::move(last)};
  }

  void run_in_single(CalculationResult& result, Earlier& earlier) {
    if constexpr (D::has_single_precision) {
      using Single = SingleOf<S>;
      Sets<Single>& bands = ready<Single>(parts_.bands.in_single(parts_.problem));
      repeat<Single>(bands, earlier, [&](Earlier before) {
        ScfSystem<Single, Space> system = system_of<Single>(bands);
        const auto solver = make_electron_solver<Single, Space>(system, start<Single>(), options_);
        return solve_single_stage<Space>(system.functional(), *solver, parts_.density, options_,
                                         {step_, watch<Single>(bands)}, std::move(before));
      });
      finish_exchanges<Single>(result, bands);
    }
  }

  void run_in_double(CalculationResult& result, Earlier& earlier) {
    Sets<S>& bands = ready<S>(parts_.bands.in_double(parts_.problem));
    repeat<S>(bands, earlier, [&](Earlier before) {
      ScfSystem<S, Space> system = system_of<S>(bands);
      const auto solver = solver_of(system, bands, !(before && before->converged));
      const ScfListeners<Space> listeners{step_, watch<S>(bands), ending(system, result)};
      ScfResult solved =
          solve_scf<Space>(system.functional(), *solver, parts_.density, options_, listeners, std::move(before));
      return followed_by(std::move(solved));
    });
    result.scf = std::move(earlier->last);
    finish_exchanges<S>(result, bands);
  }

  /// The solver of a loop in double precision.
  [[nodiscard]] std::unique_ptr<ElectronSolver<Space>> solver_of(ScfSystem<S, Space>& system, const Sets<S>& bands,
                                                                 bool searches_missed) {
    if constexpr (D::has_local_orbitals)
      if (parts_.problem.local_orbitals)
        return parts_.discretisation.template make_local_orbital_solver<S>(system, bands, parts_.problem);
    return make_electron_solver<S, Space>(system, start<S>(), options_, searches_missed);
  }

  /// Writes the last checkpoint.
  void finish(const CalculationResult& result) {
    if (result.scf.stopped) return;
    if (activity_ && parts_.problem.checkpoint) activity_({Stage::checkpoint});
    checkpoints_.finish(result.scf, writing<S>(parts_.bands.in_double(parts_.problem), parts_.density));
  }

  /// Repeats a loop until no more bands are added: loop(earlier steps) returns what it passes on.
  template <class T, class Loop>
  void repeat(const Sets<T>& bands, Earlier& earlier, const Loop& loop) {
    repeat_with_more_bands<T>(world(), band_list(bands), parts_.discretisation.space(), parts_.problem, options_,
                              earlier, loop);
  }

  /// Writes these bands with a density, which both must outlive the result.
  template <class T>
  [[nodiscard]] WriteState writing(const Sets<T>& bands, const Density<Space>& density) const {
    return state_writer<T>(parts_.discretisation, parts_.problem, parts_.potential, bands, density);
  }
  /// The callback for the loop over `bands`: none where nothing is to be written and no signal ends it.
  template <class T>
  [[nodiscard]] ScfWatch<Space> watch(const Sets<T>& bands) {
    if (!checkpoints_.watches()) return {};
    return [this, &bands](const ScfState<Space>& state) {
      return checkpoints_.after_step(state.result, writing<T>(bands, state.density));
    };
  }
  /// The callback that computes occupation matrices and the requested derivatives at the end of the loop over `system`.
  [[nodiscard]] ScfEnding<Space> ending(const ScfSystem<S, Space>& system, CalculationResult& result) {
    const bool has_shells = has_hubbard(parts_.problem.pseudopotentials);
    if (!parts_.problem.derivatives.any() && !outer_ && !has_shells) return {};
    return [&, has_shells, this](const ScfEnd<Space>& end) {
      if (has_shells)
        result.shells =
            shell_occupations(parts_.problem.crystal, parts_.problem.pseudopotentials, end.density.matrices);
      std::optional<Mat3> exchange_strain;
      if (outer_) {
        if (!update_exchange(end.result)) return;
        exchange_strain = outer_->exchange.strain();
      }
      if (!parts_.problem.derivatives.any()) return;
      if (activity_) activity_({Stage::derivatives});
      const ScopeTimer timer(result.derivative_seconds);
      result.derivatives =
          compute_derivatives(system, parts_.problem, parts_.setting.pseudo_atoms, end, exchange_strain);
    };
  }
  template <class T>
  [[nodiscard]] BandStart<T> start() {
    return [this](KohnShamBands<T>& bands) {
      return initial_bands<T>(static_cast<KPointBands<T>&>(bands), parts_.problem.bands);
    };
  }

  /// Saves the plans of transforms, and applies the transports that earlier runs have stored.
  template <class T>
  [[nodiscard]] Sets<T>& ready(Sets<T>& bands) {
    parts_.discretisation.save_plans();
    parts_.setting.transports.recall(parts_.discretisation.template exchanges<T>(bands));
    return bands;
  }
  template <class T>
  void finish_exchanges(CalculationResult& result, const Sets<T>& bands) {
    const TunedExchanges all = parts_.discretisation.template exchanges<T>(bands);
    report_transports(all, result.parallel);
    parts_.setting.transports.store(all);
  }

  template <class T>
  [[nodiscard]] ScfSystem<T, Space> system_of(Sets<T>& bands) {
    auto system = band_system<T>(parts_.setting, parts_.discretisation, parts_.problem,
                                 start_terms_ ? *start_terms_ : parts_.potential, bands);
    if (outer_ && outer_->has_exchange) system.exchange_offset = outer_->exchange.offset();
    return system;
  }

  [[nodiscard]] const Comm& world() const { return parts_.setting.groups.world(); }

  SolveParts<D, S> parts_;
  const ScfStepListener<Space>& step_;
  const ActivityObserver& activity_;
  CheckpointWriter checkpoints_;
  ScfOptions options_{};  ///< with the choices of this solve
  std::optional<Outer> outer_;
  std::optional<EnergyTerms<Space>> start_terms_;  ///< of PBE, for the first bands of a hybrid functional
};

}  // namespace wavegrid
