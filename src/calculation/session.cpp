#include "calculation/session.hpp"

#include <algorithm>
#include <exception>
#include <numeric>
#include <utility>

#include "base/error.hpp"
#include "base/process_memory.hpp"
#include "base/stop_signal.hpp"
#include "calculation/band_structure.hpp"
#include "calculation/carry_over.hpp"
#include "calculation/energy_terms.hpp"
#include "calculation/initial_density.hpp"
#include "calculation/mesh_session.hpp"
#include "calculation/mesh_sizes.hpp"
#include "calculation/plane_wave_checkpoint.hpp"
#include "calculation/self_consistency.hpp"
#include "calculation/transport_choice.hpp"
#include "layout/partition.hpp"
#include "linalg/blas_memory.hpp"

namespace wavegrid {

namespace {

/// A session with bands of S.
template <class S>
class SessionOf final : public Session::Implementation {
 public:
  SessionOf(const Comm& comm, const Problem& problem, Trace* trace, SessionOptions options)
      : problem_(problem),
        solves_once_(!options.keep_plans),
        environment_(comm, problem_, trace),
        bands_(environment_, options.keep_plans),
        history_(displacement_noise(problem_.scf.energy_tolerance)) {}

  [[nodiscard]] const Problem& problem() const override { return problem_; }

  std::optional<CheckpointReport> write_checkpoint() override {
    if (!solved_ || last_.stopped)
      throw bad_input("there is no solved geometry of which a checkpoint could be written");
    CheckpointWriter(problem_, world(), checkpoints_)
        .save(last_, writing_plane_waves<S>(problem_, environment_.groups, *fields_, *potential_,
                                            bands_.in_double(problem_), density_));
    return checkpoints_.report;
  }

  void set_geometry(Crystal crystal, const Int3& grid) override {
    problem_ = at_geometry(problem_, std::move(crystal), grid);
  }

  CalculationResult solve(const ScfObserver& observer, const ActivityObserver& activity) override {
    const Work work_before = bands_.work();
    const ForgetsAfterError forgets{*this};
    prepare();
    CalculationResult result = run(observer, activity);
    result.work += bands_.work() - work_before;
    finish(result);
    return result;
  }

 private:
  [[nodiscard]] const Comm& world() const { return environment_.groups.world(); }

  /// Calls forget() while an exception leaves solve(): windows then know that other ranks may not take part in freeing.
  struct ForgetsAfterError {
    SessionOf& session;
    int exceptions = std::uncaught_exceptions();

    ~ForgetsAfterError() {
      if (std::uncaught_exceptions() > exceptions) session.forget();
    }
  };

  /// Frees what an unfinished solve may have left in an invalid state: the next solve starts as the first one did.
  void forget() {
    bands_.clear();
    restart_.reset();
    potential_.reset();
    fields_.reset();
    solved_.reset();
    history_.clear();
  }

  /// Sets up fields, potential and density of the present geometry, and transfers the bands to it.
  void prepare() {
    if (!problem_.restart_file.empty() && !solved_) restart_.emplace(world(), problem_.restart_file, problem_.crystal);
    if (!solved_) {
      make_fields();
      set_potential();
      SpinCoefficients initial = initial_density(fields_->grid(), problem_, environment_.pseudo_atoms, electrons());
      density_ = {restart_ ? restart_->density(fields_->grid(), std::move(initial), environment_.pseudo_atoms)
                           : std::move(initial),
                  {}};
      if (restart_) normalise_density(*fields_, electrons(), density_.n);
      if (restart_ && potential_->needs_tau()) density_.tau = restart_->tau(fields_->grid(), problem_.spins);
    } else if (moved()) {
      follow_geometry();
    }
    solved_ = SolvedGeometry{problem_.crystal, problem_.grid, problem_.kpoints, problem_.symmetry};
  }

  [[nodiscard]] bool moved() const { return !solved_->has_basis_of(problem_) || !solved_->has_atoms_of(problem_); }

  void follow_geometry() {
    const std::unique_ptr<GridFields> old = solved_->has_basis_of(problem_) ? nullptr : std::move(fields_);
    potential_.reset();
    if (old) {
      make_fields();
      carry_transports(exchanges_of(*old), exchanges_of(*fields_));
    } else if (!problem_.symmetry.is_identity() || fields_->has_symmetry())
      fields_->set_symmetry(problem_.symmetry);
    set_potential();
    GridFields& before = old ? *old : *fields_;
    const GridFft& grid = before.grid();
    history_.add(solved_->crystal, density_change(grid, solved_->crystal, flattened(before, std::move(density_)),
                                                  environment_.pseudo_atoms));
    if (old)
      history_.transfer(
          [&](SpinCoefficients change) { return moved_density(grid, fields_->grid(), std::move(change)); });
    SpinCoefficients density = history_.density(
        initial_density(fields_->grid(), problem_, environment_.pseudo_atoms, electrons()), problem_.crystal);
    normalise_density(*fields_, electrons(), density);
    density_ = unflattened(*fields_, std::move(density), static_cast<std::size_t>(problem_.spins));
    bands_.follow(problem_, *solved_, history_);
  }

  void set_potential() { potential_.emplace(make_energy_terms(world(), *fields_, problem_, electrons())); }

  [[nodiscard]] static TunedExchanges exchanges_of(GridFields& fields) {
    return tuned_exchanges(fields.grid(), &fields.exchange());
  }

  void make_fields() {
    const GSphere sphere(problem_.crystal.lattice, problem_.ecut, problem_.grid, problem_.mode,
                         problem_.kpoints.front().k);
    const Partition partition = environment_.partition_of(sphere);
    load_ = load_statistics(partition, sphere.counts());
    const FftLayout of_group(sphere, partition, environment_.groups.band_group().rank(), sizeof(std::complex<double>));
    fields_ = std::make_unique<GridFields>(
        problem_.crystal.lattice, problem_.grid, problem_.ecut, problem_.symmetry,
        GridFields::Distribution{environment_.field_ranks, environment_.field_scheme, of_group, problem_.transport},
        environment_.fft_options(problem_, PlanEffort::estimate));
  }

  [[nodiscard]] double electrons() const { return environment_.electrons; }

  CalculationResult run(const ScfObserver& observer, const ActivityObserver& activity) {
    SelfConsistency<S> loops({environment_, bands_, problem_, *fields_, *potential_, density_, restart_, checkpoints_},
                             observer, activity);
    CalculationResult result = loops.run();
    restart_.reset();                          // the file may have just been replaced
    if (solves_once_) release_stop_signals();  // no further step checks for signals: the next one ends the process
    if (!result.scf.stopped) add_final_results(result, loops, activity);
    if (!solves_once_) last_ = result.scf;
    return result;
  }

  /// Adds results that need a self-consistent density.
  void add_final_results(CalculationResult& result, SelfConsistency<S>& loops, const ActivityObserver& activity) {
    add_band_results(result, loops, activity);
    result.atomic_charges = atomic_charges(*fields_, problem_, environment_.pseudo_atoms, density_.n);
    if (!problem_.keep_density) return;
    result.density_counts = problem_.grid;
    for (const auto& component : density_.n)
      result.density.push_back(gather_field(world(), fields_->grid().layout(), fields_->to_values(component)));
  }

  /// The bands along the path, and projections of these or of the loop's.
  void add_band_results(CalculationResult& result, SelfConsistency<S>& loops, const ActivityObserver& activity) {
    std::optional<BandProjector> projector;
    if (problem_.projections) projector.emplace(problem_, environment_.pseudo_atoms);
    const BandVisitor<S> project = [&](PlaneWaveBands<S>& bands) {
      if (projector) projector->add(bands);
    };
    if (!problem_.band_path.empty())
      result.path = compute_band_structure<S>(
          environment_, problem_, *fields_, *potential_, density_,
          [&](PlaneWaveBands<S>& bands, Index count) { return loops.initial_bands_of(bands, count); }, result.work,
          project, activity);
    else if (projector)
      for (const auto& bands : bands_.in_double(problem_)) project(*bands);
    if (projector) {
      const auto& points = problem_.band_path.empty() ? problem_.kpoints : problem_.band_path;
      result.projections =
          projector->gather(environment_.groups, {static_cast<Index>(points.size()), problem_.spins, problem_.bands});
    }
  }

  /// All other values of a result.
  void finish(CalculationResult& result) {
    result.kpoints = problem_.kpoints;
    result.kpoints_description = problem_.kpoints_description;
    result.mixed_precision = begins_in_single(problem_);
    result.method = problem_.scf.method;
    result.eigensolver = environment_.eigensolver.kind;
    result.eigensolver_reason = environment_.eigensolver.reason;
    result.projectors = environment_.projectors;
    ParallelReport& report = result.parallel;
    const Partition& partition = environment_.partition.partition;
    report.plane_waves = load_.plane_waves;
    report.max_plane_waves = load_.max;
    report.min_plane_waves = load_.min;
    report.ranks = world().size();
    report.groups = environment_.groups.counts();
    report.groups_reason = environment_.layout.groups.reason;
    report.scheme = partition.scheme;
    report.shape = partition.shape;
    report.partition_reason = environment_.partition.reason;
    Index counts[3] = {result.work.h_applications, result.work.nonlocal_applications, result.work.ffts};
    world().sum(std::span<Index>(counts));
    result.work = {counts[0], counts[1], counts[2]};
    const PhaseSeconds now = seconds_of(environment_.profile);
    result.seconds = now - std::exchange(seconds_before_, now);
    result.traffic = traffic_since(traffic_before_, environment_.profile, world());
    result.peak_memory = static_cast<double>(world().max(static_cast<Index>(peak_memory())));
  }

  Problem problem_;
  bool solves_once_;
  Environment environment_;
  SessionBands<S> bands_;
  LoadStatistics load_;  ///< of the first k-point's sphere
  std::unique_ptr<GridFields> fields_;
  std::optional<GridPotential> potential_;
  Density<GridFields> density_;
  GridHistory history_;
  std::optional<SolvedGeometry> solved_;  ///< the geometry of density and bands
  std::optional<Restart> restart_;        ///< open during the first solve only
  CheckpointRecord checkpoints_;
  ScfResult last_;  ///< of the last solve
  PhaseSeconds seconds_before_;
  TrafficByKind traffic_before_{};
};

/// The same crystal with other atomic positions.
Crystal at_positions(Crystal crystal, const std::vector<Vec3>& fractional) {
  if (fractional.size() != crystal.atoms.size())
    throw bad_input("there are " + std::to_string(fractional.size()) + " positions for " +
                    std::to_string(crystal.num_atoms()) + " atoms; give one for each");
  for (std::size_t a = 0; a < fractional.size(); ++a) crystal.atoms[a].position = fractional[a];
  return crystal;
}

}  // namespace

Session::Session(const Comm& comm, const Problem& problem, Trace* trace, SessionOptions options) {
  comm.together([&] {
    require_valid(problem);
    if (problem.mesh_basis)
      (void)mesh_groups(problem, comm.size());
    else
      (void)ParallelLayout(problem, comm.size());
    reserve_blas_memory(problem.threads);
  });
  if (problem.mesh_basis)
    implementation_ = make_mesh_session(comm, problem, trace, options);
  else if (problem.mode == Mode::gamma)
    implementation_ = std::make_unique<SessionOf<double>>(comm, problem, trace, options);
  else
    implementation_ = std::make_unique<SessionOf<std::complex<double>>>(comm, problem, trace, options);
}

Session::~Session() = default;
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;

CalculationResult Session::solve(const ScfObserver& observer, const ActivityObserver& activity) {
  return implementation_->solve(observer, activity);
}

std::optional<CheckpointReport> Session::write_checkpoint() { return implementation_->write_checkpoint(); }

void Session::set_positions(const std::vector<Vec3>& fractional) {
  implementation_->set_geometry(at_positions(problem().crystal, fractional), problem().grid);
}

void Session::set_cell(const Mat3& vectors, std::optional<Int3> grid) {
  Crystal crystal = problem().crystal;
  crystal.lattice = Lattice(vectors);
  implementation_->set_geometry(std::move(crystal), grid.value_or(problem().grid));
}

const Problem& Session::problem() const { return implementation_->problem(); }

CalculationResult run_calculation(const Comm& comm, const Problem& problem, const ScfObserver& observer, Trace* trace,
                                  const ActivityObserver& activity) {
  return Session(comm, problem, trace, {.keep_plans = false}).solve(observer, activity);
}

}  // namespace wavegrid
