#include "calculation/mesh_session.hpp"

#include <algorithm>
#include <exception>
#include <iterator>
#include <utility>

#include "atoms/extent.hpp"
#include "base/error.hpp"
#include "base/process_memory.hpp"
#include "base/scope_timer.hpp"
#include "base/stop_signal.hpp"
#include "calculation/band_structure.hpp"
#include "calculation/choose_eigensolver.hpp"
#include "calculation/derivatives.hpp"
#include "calculation/energy_terms.hpp"
#include "calculation/initial_density.hpp"
#include "calculation/mesh_checkpoint.hpp"
#include "calculation/mesh_density.hpp"
#include "calculation/mesh_sizes.hpp"
#include "calculation/repeated_loops.hpp"
#include "calculation/transport_choice.hpp"
#include "realspace/mesh_orbitals.hpp"
#include "scf/choose_preconditioner.hpp"

namespace wavegrid {

namespace {

template <class S>
class MeshSession final : public Session::Implementation {
 public:
  MeshSession(const Comm& comm, const Problem& problem, Trace* trace, SessionOptions options)
      : problem_(problem),
        solves_once_(!options.keep_plans),
        profile_(trace),
        choice_(mesh_groups(problem, comm.size())),
        groups_(comm.timed(&profile_), choice_.counts),
        pseudo_atoms_(solve_pseudo_atoms(problem.pseudopotentials)),
        electrons_(count_electrons(problem.crystal, problem.pseudopotentials) - problem.charge),
        eigensolver_(choose_eigensolver(problem)),
        halo_{problem.transport, problem.mesh_basis->overlap},
        bands_(groups_),
        history_(displacement_noise(problem.scf.energy_tolerance)) {}

  CalculationResult solve(const ScfObserver& observer, const ActivityObserver& activity) override {
    const Index applications_before = bands_.applications();
    const ForgetsAfterError forgets{*this};
    prepare();
    CalculationResult result = run(observer, activity);
    const bool counts = groups_.kpoint_group().rank() == 0;
    result.work.h_applications = groups_.world().sum(counts ? bands_.applications() - applications_before : Index{0});
    result.work.nonlocal_applications = result.work.h_applications;
    finish(result);
    return result;
  }
  std::optional<CheckpointReport> write_checkpoint() override {
    if (!solved_ || last_.stopped)
      throw bad_input("there is no solved geometry of which a checkpoint could be written");
    CheckpointWriter(problem_, groups_.world(), checkpoints_).save(last_, writing(density_));
    return checkpoints_.report;
  }
  void set_geometry(Crystal crystal, const Int3& grid) override {
    problem_ = at_geometry(problem_, std::move(crystal), grid);
  }
  [[nodiscard]] const Problem& problem() const override { return problem_; }

 private:
  /// Calls forget() while an exception leaves solve().
  struct ForgetsAfterError {
    MeshSession& session;
    int exceptions = std::uncaught_exceptions();

    ~ForgetsAfterError() {
      if (std::uncaught_exceptions() > exceptions) session.forget();
    }
  };

  /// Frees what belongs to the last geometry: the next solve starts as the first one did.
  void forget() {
    bands_.clear();
    potential_.reset();
    space_.reset();
    solved_.reset();
    history_.clear();
  }

  /// Sets up mesh, potential, density and Hamiltonians of the present geometry, and transfers the bands to it.
  void prepare() {
    if (!solved_ || !solved_->has_counts_of(problem_)) {
      const bool first = !solved_;
      forget();
      make_space();
      density_ = {initial_density(space_->fields, problem_, pseudo_atoms_, electrons_), {}};
      set_atoms();
      if (first && !problem_.restart_file.empty()) restart();
    } else if (!solved_->has_basis_of(problem_) || !solved_->has_atoms_of(problem_)) {
      follow_geometry();
    }
    solved_ = SolvedGeometry{problem_.crystal, problem_.grid, problem_.kpoints, problem_.symmetry};
  }

  /// Takes density and bands from the checkpoint.
  void restart() {
    MeshRestart from(groups_.world(), problem_, space_->mesh, space_->of_bands());
    density_.n = from.density(space_->fields, std::move(density_.n), pseudo_atoms_, electrons_);
    if (potential_->needs_tau()) density_.tau = from.tau(problem_.spins);
    bands_.replace([&](const MeshKPointBands<S>& of) { return from.bands<S>(of.h.kpoint(), of.spin, problem_.bands); });
    restart_ = from.report(groups_);
  }

  void follow_geometry() {
    potential_.reset();
    const FieldValues superposed = superposed_density(space_->fields, solved_->crystal, pseudo_atoms_, electrons_);
    SpinFields change = flattened(space_->fields, std::move(density_));
    for (std::size_t i = 0; i < superposed.size(); ++i) change[0][i] -= superposed[i];
    history_.add(solved_->crystal, std::move(change));
    if (!solved_->has_kpoints_of(problem_)) bands_.rotate(problem_, *solved_, space_->of_bands());
    replace_space();
    space_->fields.set_symmetry(problem_.symmetry);
    SpinFields density =
        history_.density(initial_density(space_->fields, problem_, pseudo_atoms_, electrons_), problem_.crystal);
    scale_to_electrons(space_->fields, electrons_, density[0]);
    if (space_->fields.has_symmetry())
      for (FieldValues& component : density) space_->fields.symmetrise(component);
    density_ = unflattened(space_->fields, std::move(density), static_cast<std::size_t>(problem_.spins));
    set_atoms();
    bands_.extrapolate(problem_.crystal, history_);
  }

  /// Where the points follow the atoms or the cell, makes the mesh of the present geometry and moves bands and
  /// densities to it: the values at a point become those at the point of the same number.
  void replace_space() {
    const MeshGrid next = mesh_grid_of(*problem_.mesh_basis, problem_.crystal, problem_.grid);
    if (same_points(space_->mesh.grid(), next)) return;
    const std::unique_ptr<MeshSpace> old = std::move(space_);
    const TunedExchanges before = exchanges_of(*old);
    make_space();
    carry_transports(before, exchanges_of(*space_));
    MeshTransfer transfer(old->mesh, space_->mesh);
    const double scale = old->mesh.grid().point_volume() / space_->mesh.grid().point_volume();  // electrons stay
    history_.transfer([&](SpinFields change) {
      for (FieldValues& component : change) {
        component = transfer(component);
        for (double& value : component) value *= scale;
      }
      return change;
    });
    bands_.transfer(old->of_bands(), space_->of_bands());
  }

  /// Transport and overlap that were chosen for one geometry serve the next ones.
  void make_space() {
    space_ = std::make_unique<MeshSpace>(groups_, problem_, halo_, &profile_);
    recall_transports(groups_.world(), exchanges_of(*space_), problem_.transports_file);
  }

  /// Keeps, reports and stores what has been measured of exchanges.
  void keep_choices() {
    const MeshOperator& laplacian = space_->laplacian;
    halo_ = laplacian.choices();
    if (!laplacian.reason().empty()) overlap_reason_ = laplacian.reason();
    const TunedExchanges all = exchanges_of(*space_);
    report_transports(all, transports_);
    store_transports(groups_.world(), all, problem_.transports_file);
  }
  [[nodiscard]] TunedExchanges exchanges_of(MeshSpace& space) const {
    TunedExchanges all = tuned_exchanges(space.laplacian);
    std::ranges::move(tuned_exchanges(space.fields.box().fft(), space.fields.exchange()), std::back_inserter(all));
    return all;
  }
  void set_atoms() {
    potential_.emplace(make_energy_terms(groups_.world(), space_->fields, problem_, electrons_));
    bands_.set_geometry(*space_, problem_, &profile_, eigensolver_.kind);
  }

  [[nodiscard]] PreconditionerKind choose_mixing_preconditioner() const {
    const bool fixed = problem_.smearing.kind == SmearingKind::fixed;
    const double smallest = smallest_wave_number(problem_.crystal);
    if (problem_.mesh_basis->is_periodic())
      return choose_preconditioner(space_->fields, fixed, density_.n[0], smallest);
    // Without the electrostatic metric of plane waves a long molecule (Li-H chain of 22 bohr) diverged
    // unpreconditioned.
    constexpr double long_wave = 0.2;  // 1/bohr
    if (smallest > long_wave) return PreconditionerKind::none;
    return fixed ? PreconditionerKind::dielectric : PreconditionerKind::kerker;
  }

  [[nodiscard]] ScfOptions choose_mixing() {
    ScfOptions options = problem_.scf;
    options.mixer.preconditioner.kind = problem_.preconditioner.value_or(choose_mixing_preconditioner());
    options.many_bands = eigensolver_.kind != Eigensolver::lobpcg;
    options.may_change_preconditioner = !problem_.preconditioner && problem_.mesh_basis->is_periodic();
    return options;
  }

  [[nodiscard]] ScfSystem<S, MeshFields> system() {
    std::vector<double> weights;
    for (const KPoint& point : problem_.kpoints) weights.push_back(point.weight);
    const Electrons electrons{electrons_, problem_.smearing, problem_.spins, problem_.total_magnetisation};
    return {groups_, bands_.list(), space_->fields, *potential_, electrons, std::move(weights), problem_.bands};
  }

  [[nodiscard]] EigenState<S> initial_bands_of(KohnShamBands<S>& bands, Index count) {
    const bool orbitals = problem_.initial_wavefunctions == InitialWavefunctions::lcao;
    return initial_bands<S>(bands.op, space_->of_bands(), static_cast<MeshKPointBands<S>&>(bands).h.kpoint(),
                            problem_.crystal, orbitals ? pseudo_atoms_ : std::vector<PseudoAtom>(), count);
  }

  CalculationResult run(const ScfObserver& observer, const ActivityObserver& activity) {
    CalculationResult result;
    ScfOptions options = choose_mixing();
    result.preconditioner = options.mixer.preconditioner.kind;
    CheckpointWriter checkpoints(problem_, groups_.world(), checkpoints_);
    ScfListeners<MeshFields> listeners{observer};
    if (problem_.checkpoint)
      listeners.watch = [&](const ScfState<MeshFields>& state) {
        return checkpoints.after_step(state.result, writing(state.density));
      };
    if (problem_.derivatives.any())
      listeners.ending = [&](const ScfEnd<MeshFields>& end) {
        if (activity) activity({Stage::derivatives});
        const ScopeTimer timer(result.derivative_seconds);
        result.derivatives = compute_derivatives(system(), problem_, pseudo_atoms_, end);
      };
    std::optional<EarlierSteps<MeshFields>> earlier;
    repeat_with_more_bands<S>(groups_.world(), bands_.list(), space_->fields, problem_, options, earlier,
                              [&](std::optional<EarlierSteps<MeshFields>> before) {
                                return solve_in_double<S, MeshFields>(
                                    system(), density_,
                                    [this](KohnShamBands<S>& of) { return initial_bands_of(of, problem_.bands); },
                                    options, listeners, std::move(before));
                              });
    result.scf = std::move(earlier->last);
    result.bands = problem_.bands;
    result.restart = std::exchange(restart_, std::nullopt);
    if (!result.scf.stopped) {
      if (activity && problem_.checkpoint) activity({Stage::checkpoint});
      checkpoints.finish(result.scf, writing(density_));
    }
    result.scf.stopped = result.scf.stopped || checkpoints.asked_to_stop();
    result.stop_signal = checkpoints.signal();
    result.checkpoint = checkpoints_.report;
    if (solves_once_) release_stop_signals();  // no further step checks for signals: the next one ends the process
    if (!result.scf.stopped) add_final_results(result, activity);
    last_ = result.scf;
    return result;
  }

  /// Adds results that need a self-consistent density.
  void add_final_results(CalculationResult& result, const ActivityObserver& activity) {
    add_band_results(result, activity);
    result.atomic_charges = atomic_charges(space_->fields, problem_, pseudo_atoms_, density_.n);
    if (!problem_.keep_density) return;
    const MeshGrid& grid = space_->mesh.grid();
    result.density_first = grid.lower();
    for (std::size_t d = 0; d < 3; ++d) result.density_counts[d] = grid.upper()[d] - grid.lower()[d];
    for (const FieldValues& component : density_.n)
      result.density.push_back(gather_field(groups_.world(), space_->mesh.ids(), grid.num_ids(), component));
  }

  /// The bands along the path, and projections of these or of the loop's.
  void add_band_results(CalculationResult& result, const ActivityObserver& activity) {
    std::optional<BandProjector> projector;
    if (problem_.projections) projector.emplace(problem_, pseudo_atoms_);
    const auto project = [&](MeshKPointBands<S>& bands) {
      if (projector) projector->add(bands, space_->of_bands());
    };
    if (!problem_.band_path.empty())
      result.path = band_structure(project, activity);
    else
      for (const auto& bands : bands_.all()) project(*bands);
    if (!projector) return;
    const auto& points = problem_.band_path.empty() ? problem_.kpoints : problem_.band_path;
    result.projections =
        projector->gather(groups_, {static_cast<Index>(points.size()), problem_.spins, problem_.bands});
  }

  /// The bands of the path in the potential of the density, each shown to `visit`.
  [[nodiscard]] BandStructure band_structure(const std::function<void(MeshKPointBands<S>&)>& visit,
                                             const ActivityObserver& activity) {
    const DensityValues values{density_.n, density_.tau};
    const Potential of_density = potential_->potential({density_, values});
    std::vector<FieldValues> parts;
    for (std::size_t spin = 0; spin < of_density.v.size(); ++spin)
      parts.push_back(operator_potential<double>(space_->fields, of_density, spin));
    const auto solve = [&](int k, int spin) {
      const Vec3& at = problem_.band_path[static_cast<std::size_t>(k)].k;
      MeshKPointBands<S> bands(
          *space_, &profile_, at,
          std::make_shared<const MeshProjectors<S>>(space_->of_operators(), at, problem_.crystal,
                                                    problem_.pseudopotentials, space_->fields.box().largest_g()),
          k, spin, eigensolver_.kind);
      bands.op.set_potential({parts[static_cast<std::size_t>(spin)], of_density.num_fields()});
      bands.state = initial_bands_of(bands, with_guard_bands<S>(problem_.bands, bands.op));
      ConvergedBands solved = converge_bands<S>(bands.op, bands.state, bands.solver, problem_.bands, path_tolerance);
      bands_.count_applications(bands.op.applications());
      visit(bands);
      return solved;
    };
    return bands_along_path(groups_, problem_, solve, activity);
  }

  /// Writes the present bands with a density, which has to outlive the result.
  [[nodiscard]] WriteState writing(const Density<MeshFields>& density) {
    return writing_mesh<S>(problem_, groups_, *space_, *potential_, bands_, density);
  }

  /// All other values of a result.
  void finish(CalculationResult& result) {
    const Comm& world = groups_.world();
    const Mesh& mesh = space_->of_operators();
    result.kpoints = problem_.kpoints;
    result.kpoints_description = problem_.kpoints_description;
    result.method = problem_.scf.method;
    result.eigensolver = eigensolver_.kind;
    result.eigensolver_reason = eigensolver_.reason;
    keep_choices();
    const MeshOperator& laplacian = space_->laplacian;
    const double hidden = world.sum(laplacian.hidden_share()) / world.size();
    result.mesh = MeshReport{mesh.num_all_points(),
                             world.max(mesh.num_points()),
                             world.min(mesh.num_points()),
                             world.max(mesh.num_ghosts()),
                             world.max(mesh.num_neighbours()),
                             mesh.star().highest_kinetic_energy(),
                             laplacian.overlap(),
                             overlap_reason_,
                             hidden};
    ParallelReport& report = result.parallel;
    report.ranks = world.size();
    report.groups = choice_.counts;
    report.groups_reason = choice_.reason;
    report.partition_reason = "of the points of a mesh";
    report.transport = transports_.transport;
    report.exchanges = transports_.exchanges;
    const PhaseSeconds now = seconds_of(profile_);
    result.seconds = now - std::exchange(seconds_before_, now);
    result.traffic = traffic_since(traffic_before_, profile_, groups_.world());
    result.peak_memory = static_cast<double>(world.max(static_cast<Index>(peak_memory())));
  }

  Problem problem_;
  bool solves_once_;
  Profile profile_;
  GroupChoice choice_;
  ProcessGroups groups_;
  std::vector<PseudoAtom> pseudo_atoms_;
  double electrons_;
  EigensolverChoice eigensolver_;
  HaloOptions halo_;           ///< of the operators of the next mesh
  ParallelReport transports_;  ///< transports of all exchanges, over all geometries
  std::string overlap_reason_;
  std::unique_ptr<MeshSpace> space_;
  std::optional<MeshPotential> potential_;
  Density<MeshFields> density_;
  MeshBands<S> bands_;
  MeshHistory history_;
  std::optional<SolvedGeometry> solved_;  ///< the geometry of density and bands
  std::optional<RestartReport> restart_;  ///< of the solve in progress
  CheckpointRecord checkpoints_;
  ScfResult last_;  ///< of the last solve
  PhaseSeconds seconds_before_;
  TrafficByKind traffic_before_{};
};

}  // namespace

std::unique_ptr<Session::Implementation> make_mesh_session(const Comm& comm, const Problem& problem, Trace* trace,
                                                           SessionOptions options) {
  if (problem.mode == Mode::gamma) return std::make_unique<MeshSession<double>>(comm, problem, trace, options);
  return std::make_unique<MeshSession<std::complex<double>>>(comm, problem, trace, options);
}

}  // namespace wavegrid
