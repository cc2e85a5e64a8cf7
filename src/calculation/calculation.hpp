// A calculation on any discretisation: fields, bands, density and potential of a problem, solved in one geometry after
// the other.
#pragma once

#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/process_memory.hpp>
#include <wavegrid/base/scope_timer.hpp>
#include <wavegrid/base/stop_signal.hpp>
#include <wavegrid/calculation/augmentation.hpp>
#include <wavegrid/calculation/band_structure.hpp>
#include <wavegrid/calculation/casida_run.hpp>
#include <wavegrid/calculation/choose_discretisation.hpp>
#include <wavegrid/calculation/copied_bands.hpp>
#include <wavegrid/calculation/energy_terms.hpp>
#include <wavegrid/calculation/exchange_in_time.hpp>
#include <wavegrid/calculation/exchange_path.hpp>
#include <wavegrid/calculation/field_response_run.hpp>
#include <wavegrid/calculation/make_calculation.hpp>
#include <wavegrid/calculation/next_geometry.hpp>
#include <wavegrid/calculation/propagation_run.hpp>
#include <wavegrid/calculation/propagation_states.hpp>
#include <wavegrid/calculation/self_consistency.hpp>
#include <wavegrid/calculation/spin_texture.hpp>
#include <wavegrid/calculation/state_writer.hpp>
#include <wavegrid/calculation/statistics.hpp>
#include <wavegrid/discretisation/initial_density.hpp>
#include <wavegrid/pseudo/projector_hash.hpp>
#include <wavegrid/terms/dataset_matrices.hpp>
#include <wavegrid/terms/moment_constraint_term.hpp>

namespace wavegrid {

/// Bands of S on D. Members are collective over the world unless they say "local".
template <class D, class S>
class Calculation final : public Session::Implementation {
 public:
  static_assert(Discretisation<D>);
  using Space = typename D::Space;
  using Components = SpinComponents<Space>;
  using KPointBands = typename D::template KPointBands<S>;

  Calculation(const Comm& comm, const Problem& problem, Trace* trace, SessionOptions options)
      : problem_(problem),
        solves_once_(!options.keep_plans),
        setting_(comm, problem_, rules_for(problem_), trace),
        discretisation_(setting_, comm, problem_),
        bands_(setting_, discretisation_, options.keep_plans),
        history_(displacement_noise(problem_.scf.energy_tolerance)) {}

  [[nodiscard]] const Problem& problem() const override { return problem_; }

  std::optional<CheckpointReport> write_checkpoint() override {
    refuse_in_observer("write_checkpoint()");
    require_solved("of which a checkpoint could be written");
    CheckpointWriter(problem_, world(), checkpoints_)
        .save(last_, state_writer<S>(discretisation_, problem_, *potential_, bands_.in_double(problem_), density_));
    return checkpoints_.report;
  }

  void set_geometry(Crystal crystal, const Int3& grid, const Int3& density_grid) override {
    refuse_in_observer("set_positions() and set_cell()");
    problem_ = at_geometry(problem_, std::move(crystal), grid, density_grid);
  }

  CalculationResult solve(const ScfObserver& observer, const ActivityObserver& activity) override {
    refuse_in_observer("solve()");
    const Work work_before = bands_.work();
    const ResetOnException reset{*this};
    if (norm2(problem_.vector_potential) != 0) {  // bands that have been propagated
      forget();
      problem_.vector_potential = {0, 0, 0};
    }
    prepare();
    CalculationResult result = run(observer, activity);
    result.work = bands_.work() - work_before;
    finish(result);
    return result;
  }

  PropagationResult propagate(const Propagation& options, const PropagationObserver& observer) override {
    refuse_in_observer("propagate()");
    require_solved("from which a propagation could begin");
    if constexpr (ScalarTraits<S>::is_real) {
      throw bad_input("bands that are real cannot be propagated; valid: complex ones");
    } else {
      const ResetOnException reset{*this};
      PropagationResult result;
      double seconds = 0;
      {
        const ScopeTimer timer(seconds);
        PropagationStates<D> states(setting_, discretisation_, problem_, bands_, options, last_.occupations,
                                    [this] { set_potential(); });
        std::optional<PropagationReader> earlier;
        if (!options.restart_file.empty()) {
          earlier.emplace(setting_.groups, options.restart_file);
          const StateTable table{static_cast<Index>(problem_.kpoints.size()), problem_.spins, problem_.bands};
          last_.occupations = continued_occupations(options, earlier->header(), table, problem_.components());
          states.set_vector_potential(earlier->header().vector_potential);
          if (const auto crystal = PropagationRun<Space>::crystal_of(problem_, options, earlier->header())) {
            states.move_terms(*crystal);
            states.move_atoms(*crystal);
          }
        } else if (options.kick && options.kick->gauge == Gauge::velocity) {
          states.set_vector_potential(problem_.vector_potential + options.kick->momentum);
        }
        std::vector<FieldValues> potentials;
        if (earlier) potentials = states.read(*earlier, last_.occupations);
        auto system = band_system<S>(setting_, discretisation_, problem_, *potential_, bands_.in_double(problem_));
        std::unique_ptr<StepExchange> exchange;
        if constexpr (D::template Fock<S>::acts_on_others)
          if (problem_.exchange)
            exchange = std::make_unique<ExchangeInTime<D>>(setting_.groups, problem_, bands_.in_double(problem_),
                                                           last_.occupations);
        PropagationRun<Space> run(system, problem_, last_, effective_potential(), options, states.hooks(system),
                                  std::move(exchange));
        if (earlier) run.resume(earlier->header(), std::move(potentials));
        result = run.run(observer);
        density_ = run.density();
        if (options.moving) solved_->crystal = problem_.crystal;
      }
      result.seconds = seconds;
      return result;
    }
  }

  FieldResponseResult respond(const FieldResponse& options, const FieldResponseObserver& observer) override {
    refuse_in_observer("respond()");
    require_solved("whose response could be computed");
    if constexpr (ScalarTraits<S>::is_real) {
      throw bad_input("the response of bands that are real is not available; valid: complex ones");
    } else {
      const ResetOnException reset{*this};
      FieldResponseResult result;
      double seconds = 0;
      {
        const ScopeTimer timer(seconds);
        auto system = band_system<S>(setting_, discretisation_, problem_, *potential_, bands_.in_double(problem_));
        FieldResponseRun<D> run(setting_, discretisation_, problem_, bands_, system, last_, effective_potential());
        result = run.run(options, observer);
      }
      result.seconds = seconds;
      return result;
    }
  }

  [[nodiscard]] BandStructure levels(const std::vector<Vec3>& kpoints) override {
    refuse_in_observer("levels()");
    require_solved("whose levels could be computed");
    if constexpr (ScalarTraits<S>::is_real) {
      throw bad_input("levels at other k-points of bands that are real; valid: complex ones");
    } else {
      if (problem_.exchange) throw bad_input("levels at other k-points with exact exchange; valid: without");
      const ResetOnException reset{*this};
      Problem path = problem_;
      path.band_path.clear();
      for (const Vec3& k : kpoints) path.band_path.push_back({k, 0.0});
      const auto potential = potential_of_operators();
      const auto solve = [&](int k, int spin) {
        auto bands = discretisation_.template make_path_bands<S>(path, k, spin);
        bands->op.set_potential(potential.for_spin(spin));
        bands->state =
            discretisation_.template initial_bands<S>(*bands, path, with_guard_bands<S>(path.bands, bands->op));
        ConvergedBands solved = converge_bands<S>(bands->op, bands->state, bands->solver, path.bands, path_tolerance);
        bands_.count(operation_counts(setting_.groups, *bands));
        return solved;
      };
      return bands_along_path(setting_.groups, path, solve, {});
    }
  }

  [[nodiscard]] SolvedFields fields() override {
    if (!observed_) require_solved("whose fields could be shown");
    const Density<Space>& density = observed_ ? observed_->density : density_;
    const DensityValues values = density_values(space(), density);
    return {problem_.field_grid(), space().point_indices(), values.n, values.tau,
            observed_ ? observed_->potential.v : potential_->potential({density, values}).v};
  }

  [[nodiscard]] std::vector<SolvedBands> bands() override {
    if (!observed_) {
      require_solved("whose bands could be shown");
      return copies<S>(bands_.in_double(problem_), last_);
    }
    if constexpr (D::has_single_precision)
      if (observed_->step.single_precision)
        return copies<SingleOf<S>>(bands_.template present<SingleOf<S>>(), observed_->states);
    return copies<S>(bands_.template present<S>(), observed_->states);
  }

  void visit_bands(BandsVisitor& visitor) override {
    if (observed_) return visit_observed(visitor);
    require_solved("whose bands could be shown");
    const auto potential = potential_of_operators();
    for (const auto& one : bands_.in_double(problem_)) {
      one->op.set_potential(potential.for_spin(one->spin));
      visitor.visit(*one);
    }
  }

 private:
  [[nodiscard]] const Comm& world() const { return setting_.groups.world(); }
  [[nodiscard]] Space& space() { return discretisation_.space(); }

  /// Throws bad_input unless density and bands are those of a solve that came to its end, in the present geometry.
  void require_solved(const char* what) const {
    if (!solved_ || last_.stopped || !potential_ || !solved_->has_same_basis(problem_) ||
        !solved_->has_same_atoms(problem_))
      throw bad_input(std::string("there is no solved geometry ") + what);
  }

  /// Throws bad_input where an observer of solve() calls a function that would change what the loop works on.
  void refuse_in_observer(const char* call) const {
    if (observed_)
      throw bad_input(std::string(call) + " cannot be called by an observer of solve(); valid: fields(), bands()");
  }

  template <class T>
  [[nodiscard]] std::vector<SolvedBands> copies(const BandSets<D, T>& sets, const ElectronStates& states) {
    return copied_bands<D, T>(discretisation_, problem_, sets, states.occupations);
  }

  /// In a step the operators have the potential of the loop.
  void visit_observed(BandsVisitor& visitor) {
    if (observed_->step.single_precision)
      throw bad_input(
          "bands of a step in single precision cannot be visited; valid: copies (bands()), or a later step");
    for (const auto& one : bands_.template present<S>()) visitor.visit(*one);
  }

  /// Calls forget() while an exception leaves solve(): windows then know that other ranks may not take part in freeing.
  struct ResetOnException {
    Calculation& calculation;
    int exceptions = std::uncaught_exceptions();

    ~ResetOnException() {
      if (std::uncaught_exceptions() > exceptions) calculation.forget();
    }
  };

  /// Frees what an unfinished solve may have left in an invalid state: the next solve starts as the first one did.
  void forget() {
    observed_ = nullptr;
    bands_.clear();
    restart_.reset();
    potential_.reset();
    discretisation_.clear();
    solved_.reset();
    history_.clear();
    exchange_occupations_.clear();
  }

  /// Sets up fields, potential and density of the present geometry, and transfers the bands to it.
  void prepare() {
    if (solved_ && !D::can_follow(*solved_, problem_)) {
      forget();
      begin(false);
    } else if (!solved_) {
      begin(!problem_.restart_file.empty());
    } else if (!solved_->has_same_basis(problem_) || !solved_->has_same_atoms(problem_)) {
      follow_geometry();
    }
    solved_ =
        SolvedGeometry{problem_.crystal, problem_.grid, problem_.density_grid, problem_.kpoints, problem_.symmetry};
  }

  void begin(bool from_checkpoint) {
    discretisation_.make_space(problem_);
    set_potential();
    density_ = {superposed(), {}, {}};
    if (potential_->needs_matrices())
      density_.matrices = initial_matrices(problem_, setting_.pseudo_atoms, setting_.electrons);
    if (!from_checkpoint) return;
    restart_.emplace(world(), problem_, discretisation_.grid());
    density_.n = restart_->density(std::move(density_.n), setting_.pseudo_atoms);
    if (problem_.restart_turn) turn_moments(*problem_.restart_turn, density_.n);
    normalise_density(space(), setting_.electrons, density_.n);
    if (potential_->needs_tau()) density_.tau = restart_->tau(problem_.spins);
    if (potential_->needs_matrices())
      density_.matrices =
          restart_->matrices(std::move(density_.matrices),
                             projector_hashes(problem_.crystal, problem_.pseudopotentials), problem_.restart_turn);
    if (!space().has_symmetry()) return;  // the file may have been written without it
    for (auto& component : density_.tau) space().symmetrise(component);
    if (!density_.matrices.empty()) potential_->augmentation()->symmetrise(density_.matrices);
  }

  /// Turns a vector magnetisation at all points.
  static void turn_moments(const Mat3& turn, Components& density) {
    if (!has_vector(density)) return;
    for (std::size_t i = 0; i < density[0].size(); ++i) {
      const auto x = density[1][i], y = density[2][i], z = density[3][i];
      for (std::size_t axis = 0; axis < 3; ++axis)
        density[axis + 1][i] = turn[axis][0] * x + turn[axis][1] * y + turn[axis][2] * z;
    }
  }

  [[nodiscard]] Components superposed() {
    return initial_density(space(), problem_, setting_.pseudo_atoms, setting_.electrons);
  }

  void follow_geometry() {
    potential_.reset();
    SpinMatrices matrices = std::move(density_.matrices);
    const auto reference = reference_density(space(), solved_->crystal, setting_.pseudo_atoms, setting_.electrons);
    Components last = flattened(space(), std::move(density_));
    for (std::size_t i = 0; i < reference.size(); ++i) last[0][i] -= reference[i];
    history_.add(solved_->crystal, std::move(last), std::move(matrices));
    const std::unique_ptr<typename D::Grid> old = discretisation_.replace_space(*solved_, problem_);
    if (old)
      history_.transfer([&](Components change) { return discretisation_.moved_density(*old, std::move(change)); });
    set_potential();
    Components density = history_.density(superposed(), problem_.crystal);
    normalise_density(space(), setting_.electrons, density);
    density_ = unflattened(space(), std::move(density), static_cast<std::size_t>(problem_.density_components()));
    density_.matrices = history_.matrices(problem_.crystal);
    bands_.follow(problem_, *solved_, old.get(), history_);
    if (!solved_->has_same_kpoints(problem_)) exchange_occupations_.clear();
  }

  void set_potential() {
    if (!augmentation_) augmentation_ = std::make_shared<AugmentationChoice>(first_choice(problem_));
    potential_.emplace(make_energy_terms(world(), space(), problem_, setting_.electrons, augmentation_));
  }

  CalculationResult run(const ScfObserver& observer, const ActivityObserver& activity) {
    const ScfStepListener<Space> listener = shown_to(observer);
    SelfConsistency<D, S> loops({setting_, discretisation_, bands_, problem_, *potential_, density_, restart_,
                                 checkpoints_, exchange_occupations_},
                                listener, activity);
    CalculationResult result = loops.run();
    restart_.reset();  // the file may have just been replaced
    // No further step checks for signals: the next one ends the process.
    if (solves_once_ && !problem_.propagation && !problem_.field_response) release_stop_signals();
    if (result.shells.empty())  // the loop has been stopped
      result.shells = shell_occupations(problem_.crystal, problem_.pseudopotentials, density_.matrices);
    result.atomic_charges = atomic_charges(space(), problem_, setting_.pseudo_atoms, density_.n);
    for (const auto& term : potential_->terms())
      if (const auto* constraint = dynamic_cast<const MomentConstraintTerm<Space>*>(term.get()))
        result.atomic_charges->torques = constraint->torques({density_, density_values(space(), density_)});
    if (!result.scf.stopped) add_final_results(result, loops, activity);
    last_ = result.scf;
    exchange_occupations_ = result.scf.stopped ? std::vector<double>{} : result.scf.occupations;
    return result;
  }

  /// Calls the observer, for which fields() and bands() are those of the step. An exception of it leads to forget().
  [[nodiscard]] ScfStepListener<Space> shown_to(const ScfObserver& observer) {
    if (!observer) return {};
    return [this, &observer](const ScfStepState<Space>& state) {
      observed_ = &state;
      observer(state.step);
      observed_ = nullptr;
    };
  }

  /// Adds results that need a self-consistent density.
  void add_final_results(CalculationResult& result, SelfConsistency<D, S>& loops, const ActivityObserver& activity) {
    add_band_results(result, loops, activity);
    if (problem_.casida) result.casida = excitations(loops, result.scf.occupations);
    if (problem_.keep_density) discretisation_.gather(density_.n, result.density);
    if (problem_.keep_potential == WantedPotential::total) {
      Components channels;
      for (const FieldValues& v : potential_->potential({density_, density_values(space(), density_)}).v)
        channels.push_back(space().to_field(v));
      discretisation_.gather(channels, result.potential);
    }
    if (problem_.keep_potential == WantedPotential::electrostatic || problem_.average_axis)
      add_electrostatic_potential(result);
    if (problem_.moment_axes != std::array<bool, 3>{})
      result.charge_moments = charge_moments(space(), problem_, space().to_values(density_.n[0]));
  }

  void add_electrostatic_potential(CalculationResult& result) {
    const Components potential{potential_->electrostatic_potential(density_)};
    if (problem_.keep_potential == WantedPotential::electrostatic) discretisation_.gather(potential, result.potential);
    if (problem_.average_axis)
      result.potential_average =
          plane_average(world(), space().point_indices(), space().to_values(potential[0]), *problem_.average_axis);
  }

  /// The bands along the path, and projections and spins of these or of the loop's.
  void add_band_results(CalculationResult& result, SelfConsistency<D, S>& loops, const ActivityObserver& activity) {
    std::optional<BandProjector> projector;
    if (problem_.projections) projector.emplace(problem_, setting_.pseudo_atoms, D::has_file_orbitals);
    std::optional<SpinTexture> texture;
    if (problem_.spinors) texture.emplace(problem_);
    const auto project = [&](KPointBands& bands) {
      if (texture) texture->add<S>(bands);
      if (!projector) return;
      const Bands<S> orbitals =
          discretisation_.template atomic_orbitals<S>(bands, problem_, projector->atoms(), projector->num_orbitals());
      projector->add<S>(bands, orbitals.view());
    };
    if (!problem_.band_path.empty())
      result.path = band_structure(loops, result.scf, project, activity);
    else if (projector || texture)
      for (const auto& bands : bands_.in_double(problem_)) project(*bands);
    const auto& points = problem_.band_path.empty() ? problem_.kpoints : problem_.band_path;
    if (texture) result.spins = texture->gather(setting_.groups, static_cast<Index>(points.size()));
    if (!projector) return;
    result.projections =
        projector->gather(setting_.groups, {static_cast<Index>(points.size()), problem_.spins, problem_.bands});
  }

  /// Of all bands in the potential of the density; each k-point group finds those of both spins.
  [[nodiscard]] CasidaResult excitations(SelfConsistency<D, S>& loops, const std::vector<double>& occupations) {
    if constexpr (!ScalarTraits<S>::is_real) {
      throw bad_input("Casida's equation of bands that are complex; valid: real ones");
    } else {
      Problem at_gamma = problem_;
      at_gamma.band_path = problem_.kpoints;
      const auto potential = potential_of_operators();
      const SpinFields density = density_values(space(), density_).n;
      CasidaRun<Space> run(world(), space(), *potential_, problem_, density, setting_.groups.my_kpoint_group() == 0);
      run.set_operator_points(static_cast<Index>(potential.values.front().size()));
      double error = 0;
      for (int spin = 0; spin < problem_.spins; ++spin) {
        const auto bands = discretisation_.template make_path_bands<S>(at_gamma, 0, spin);
        bands->op.set_potential(potential.for_spin(spin));
        bands->state = loops.template initial_bands<S>(*bands, with_guard_bands<S>(problem_.bands, bands->op));
        const ConvergedBands solved =
            converge_bands<S>(bands->op, bands->state, bands->solver, problem_.bands,
                              {.error = problem_.casida->tolerance, .relative = false, .gap = path_tolerance.gap});
        error = std::max(error, solved.error);
        const auto first = occupations.begin() + spin * problem_.bands;
        const Index occupied = num_occupied(std::span(first, first + problem_.bands));
        run.add(*bands, solved.values, occupied, 2.0 / problem_.spins);
        bands_.count(operation_counts(setting_.groups, *bands));
      }
      CasidaResult found = run.solve();
      found.error = error;
      return found;
    }
  }

  /// The potential of the density.
  [[nodiscard]] Potential effective_potential() {
    const DensityValues values = density_values(space(), density_);
    return potential_->potential({density_, values});
  }

  /// The same as operators take it; has to outlive its use.
  struct PotentialOfOperators {
    std::vector<std::vector<RealOf<S>>> values{};  ///< of each spin
    Potential potential;

    [[nodiscard]] OperatorPotential<RealOf<S>> for_spin(int spin) const {
      const auto at = static_cast<std::size_t>(spin);
      return {values[at], potential.num_fields(), operator_couplings(potential, at)};
    }
  };
  [[nodiscard]] PotentialOfOperators potential_of_operators() {
    PotentialOfOperators result{.potential = effective_potential()};
    for (std::size_t spin = 0; spin < static_cast<std::size_t>(problem_.spins); ++spin)
      result.values.push_back(operator_potential<RealOf<S>>(space(), result.potential, spin));
    return result;
  }

  /// The bands of the path in the potential of the density, each shown to `visit` before it is freed: memory does not
  /// grow with the path.
  template <class Visit>
  [[nodiscard]] BandStructure band_structure(SelfConsistency<D, S>& loops, const ScfResult& result, const Visit& visit,
                                             const ActivityObserver& activity) {
    const auto potential = potential_of_operators();
    const auto begin = [&](int k, int spin) {
      auto bands = discretisation_.template make_path_bands<S>(problem_, k, spin);
      bands->op.set_potential(potential.for_spin(spin));
      bands->state = loops.template initial_bands<S>(*bands, with_guard_bands<S>(problem_.bands, bands->op));
      return bands;
    };
    if constexpr (D::template Fock<S>::acts_on_others)
      if (problem_.exchange) {
        ExactExchange<D, S>& exchange = loops.exchange();
        const auto states = exchange.states_of(bands_.in_double(problem_), problem_.bands, result.occupations);
        return bands_along_path_with_exchange<D, S>(
            setting_.groups, problem_, exchange, states, result, begin,
            [&](KPointBands& bands) {
              visit(bands);
              bands_.count(operation_counts(setting_.groups, bands));
            },
            activity);
      }
    const auto solve = [&](int k, int spin) {
      const auto bands = begin(k, spin);
      ConvergedBands solved = converge_bands<S>(bands->op, bands->state, bands->solver, problem_.bands, path_tolerance);
      visit(*bands);
      bands_.count(operation_counts(setting_.groups, *bands));
      return solved;
    };
    return bands_along_path(setting_.groups, problem_, solve, activity);
  }

  /// All other values of a result.
  void finish(CalculationResult& result) {
    result.kpoints = problem_.kpoints;
    result.kpoints_description = problem_.kpoints_description;
    result.method = problem_.scf.method;
    result.eigensolver = setting_.eigensolver.kind;
    result.eigensolver_reason = setting_.eigensolver.reason;
    if (has_augmentation(problem_.pseudopotentials)) result.augmentation = *augmentation_;
    ParallelReport& report = result.parallel;
    report.ranks = world().size();
    report.groups = setting_.group_choice.counts;
    report.groups_reason = setting_.group_choice.reason;
    DiscretisationReport of_discretisation{report, result.mesh, result.projectors, result.local_orbitals};
    discretisation_.report(of_discretisation);
    Index counts[3] = {result.work.h_applications, result.work.nonlocal_applications, result.work.ffts};
    world().sum(std::span<Index>(counts));
    result.work = {counts[0], counts[1], counts[2]};
    if (result.local_orbitals) result.work.h_applications += result.local_orbitals->applications;
    const PhaseSeconds now = seconds_of(setting_.profile);
    result.seconds = now - std::exchange(seconds_before_, now);
    result.traffic = traffic_since(traffic_before_, setting_.profile, world());
    result.peak_memory = static_cast<double>(world().max(static_cast<Index>(peak_memory())));
  }

  Problem problem_;
  bool solves_once_;
  Setting setting_;
  D discretisation_;
  std::shared_ptr<AugmentationChoice> augmentation_;  ///< of all geometries
  std::optional<EnergyTerms<Space>> potential_;
  Density<Space> density_;
  CalculationBands<D, S> bands_;
  GeometryHistory<typename Space::Field> history_;
  std::optional<SolvedGeometry> solved_;        ///< the geometry of density and bands
  std::optional<typename D::Restart> restart_;  ///< open during the first solve only
  CheckpointRecord checkpoints_;
  ScfResult last_;                                 ///< of the last solve
  std::vector<double> exchange_occupations_;       ///< of the bands that there are; empty: not known
  const ScfStepState<Space>* observed_ = nullptr;  ///< while an observer is called
  PhaseSeconds seconds_before_;
  TrafficByKind traffic_before_{};
};

/// Defines make_calculation() of these.
#define WAVEGRID_INSTANTIATE_CALCULATION(D, S)                                                              \
  template <>                                                                                               \
  std::unique_ptr<Session::Implementation> make_calculation<D, S>(const Comm& comm, const Problem& problem, \
                                                                  Trace* trace, SessionOptions options) {   \
    return std::make_unique<Calculation<D, S>>(comm, problem, trace, options);                              \
  }

}  // namespace wavegrid
