#include "calculation/session.hpp"

#include <algorithm>
#include <exception>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

#include "atoms/extent.hpp"
#include "base/error.hpp"
#include "base/process_memory.hpp"
#include "base/stop_signal.hpp"
#include "calculation/band_structure.hpp"
#include "calculation/carry_over.hpp"
#include "calculation/checkpoint_writer.hpp"
#include "calculation/choose_kpoints.hpp"
#include "calculation/environment.hpp"
#include "calculation/initial_density.hpp"
#include "calculation/initial_wavefunctions.hpp"
#include "calculation/memory_estimate.hpp"
#include "calculation/restart.hpp"
#include "calculation/session_bands.hpp"
#include "calculation/transport_choice.hpp"
#include "eigen/missed_states.hpp"
#include "ions/ewald.hpp"
#include "layout/partition.hpp"
#include "linalg/blas_memory.hpp"
#include "scf/choose_preconditioner.hpp"

namespace wavegrid {

class Session::Implementation {
 public:
  virtual ~Implementation() = default;
  [[nodiscard]] virtual CalculationResult solve(const ScfObserver& observer, const ActivityObserver& activity) = 0;
  virtual void set_geometry(Crystal crystal, const Int3& grid) = 0;
  [[nodiscard]] virtual const Problem& problem() const = 0;
};

namespace {

/// Ewald energy, computed in parts by the ranks; deterministic: in a fixed number of parts. Collective.
double ewald_of(const Comm& comm, const Problem& problem) {
  const PointCharges ions = ions_of(problem.crystal, problem.pseudopotentials);
  const int num_parts = problem.deterministic ? fixed_ewald_parts : comm.size();
  std::vector<double> parts(static_cast<std::size_t>(num_parts), 0.0);
  for (int part = comm.rank(); part < num_parts; part += comm.size())
    parts[static_cast<std::size_t>(part)] =
        ewald_energy(problem.crystal.lattice, ions.positions, ions.charges, part, num_parts);
  comm.merge(std::span<double>(parts));
  return std::accumulate(parts.begin(), parts.end(), 0.0);
}

PhaseSeconds seconds_of(Profile& profile) {
  PhaseSeconds seconds;
  for (std::size_t phase = 0; phase < num_phases; ++phase)
    seconds.of_phase[phase] = profile.seconds(static_cast<Phase>(phase));
  seconds.total = std::accumulate(seconds.of_phase.begin(), seconds.of_phase.end(), 0.0);
  return seconds;
}

PhaseSeconds operator-(PhaseSeconds a, const PhaseSeconds& b) {
  a.total -= b.total;
  for (std::size_t phase = 0; phase < num_phases; ++phase) a.of_phase[phase] -= b.of_phase[phase];
  return a;
}

/// A session with bands of S.
template <class S>
class SessionOf final : public Session::Implementation {
 public:
  SessionOf(const Comm& comm, const Problem& problem, Trace* trace, SessionOptions options)
      : problem_(problem),
        solves_once_(!options.keep_plans),
        environment_(comm, problem_, trace),
        bands_(environment_, options.keep_plans) {}

  [[nodiscard]] const Problem& problem() const override { return problem_; }

  void set_geometry(Crystal crystal, const Int3& grid) override {
    Problem next = problem_;
    next.crystal = std::move(crystal);
    next.grid = grid;
    if (next.follow_symmetry) {
      KPointChoice choice = choose_kpoints(next.crystal, next.initial_magnetic_moments, next.grid, *next.mesh, true);
      next.kpoints = std::move(choice.points);
      next.symmetry = std::move(choice.group);
      next.kpoints_description = std::move(choice.sentence);
    }
    require_valid(next);
    problem_ = std::move(next);
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
  }

  /// Sets up fields, potential and density of the present geometry, and transfers the bands to it.
  void prepare() {
    if (!problem_.restart_file.empty() && !solved_) restart_.emplace(world(), problem_.restart_file, problem_.crystal);
    if (!solved_) {
      make_fields();
      set_potential();
      SpinCoefficients initial = initial_density(fields_->grid(), problem_, environment_.pseudo_atoms, electrons());
      density_ = restart_ ? restart_->density(fields_->grid(), std::move(initial), environment_.pseudo_atoms)
                          : std::move(initial);
      if (restart_) normalise_density(*fields_, electrons(), density_);
    } else if (moved()) {
      follow_geometry();
    }
    solved_ = SolvedGeometry{problem_.crystal, problem_.grid, problem_.kpoints, problem_.symmetry};
  }

  [[nodiscard]] bool moved() const {
    const auto& before = solved_->crystal.atoms;
    return !solved_->has_basis_of(problem_) ||
           !std::equal(before.begin(), before.end(), problem_.crystal.atoms.begin(),
                       [](const Atom& a, const Atom& b) { return a.position == b.position; });
  }

  void follow_geometry() {
    const std::unique_ptr<GridFields> old = solved_->has_basis_of(problem_) ? nullptr : std::move(fields_);
    potential_.reset();
    if (old)
      make_fields();
    else if (!problem_.symmetry.is_identity() || fields_->has_symmetry())
      fields_->set_symmetry(problem_.symmetry);
    set_potential();
    density_ = carried_density(fields_->grid(), problem_.crystal,
                               initial_density(fields_->grid(), problem_, environment_.pseudo_atoms, electrons()),
                               {solved_->crystal, (old ? *old : *fields_).grid(), std::move(density_)},
                               environment_.pseudo_atoms);
    normalise_density(*fields_, electrons(), density_);
    bands_.follow(problem_, *solved_);
  }

  void set_potential() {
    potential_.emplace(
        make_potential(*fields_, Xc::parse(problem_.xc, problem_.spins), problem_.crystal, problem_.pseudopotentials));
  }

  void make_fields() {
    const GSphere sphere(problem_.crystal.lattice, problem_.ecut, problem_.grid, problem_.mode,
                         problem_.kpoints.front().k);
    const Partition partition = environment_.partition_of(sphere);
    load_ = load_statistics(partition, sphere.counts());
    const FftLayout of_group(sphere, partition, environment_.groups.band_group().rank(), sizeof(std::complex<double>));
    fields_ = std::make_unique<GridFields>(
        problem_.crystal.lattice, problem_.grid, problem_.ecut, problem_.symmetry,
        GridFields::Distribution{environment_.field_ranks, environment_.field_scheme, of_group,
                                 problem_.transport.value_or(Transport::alltoallv)},
        environment_.fft_options(problem_, PlanEffort::estimate));
  }

  [[nodiscard]] double electrons() const { return environment_.electrons; }

  CalculationResult run(const ScfObserver& observer, const ActivityObserver& activity) {
    const double ewald = ewald_of(world(), problem_);
    CalculationResult result;
    ScfOptions options = problem_.scf;
    options.mixer.preconditioner.kind = problem_.preconditioner.value_or(
        choose_preconditioner(*fields_, problem_.smearing.kind == SmearingKind::fixed, fields_->to_values(density_[0]),
                              smallest_wave_number(problem_.crystal)));
    options.many_bands = environment_.eigensolver.kind != Eigensolver::lobpcg;
    options.may_change_preconditioner = !problem_.preconditioner;
    result.preconditioner = options.mixer.preconditioner.kind;
    CheckpointWriter checkpoints(problem_, environment_.groups, *fields_, *potential_);
    std::optional<EarlierSteps<GridFields>> earlier;
    if (begins_in_single(problem_)) {
      auto& bands = ready(bands_.in_single(problem_));
      do {
        options.asks_for_bands = may_add_bands(bands);
        earlier.emplace(solve_single_stage<SingleOf<S>, GridFields>(
            system_of(bands, ewald).scf, density_, initial_of<SingleOf<S>>(), options,
            {observer, checkpoints.watch(bands)}, std::move(earlier)));
      } while (add_bands(bands, *earlier, options));
      fill_parallel(result, bands);
    }
    if (earlier && earlier->last.stopped) {
      result.scf = std::move(earlier->last);
      bands_.drop_states();
    } else {
      MyBands<S>& bands = ready(bands_.in_double(problem_));
      do {
        options.asks_for_bands = may_add_bands(bands);
        const PlaneWaveSystem<S> system = system_of(bands, ewald);
        earlier = {{.mixer = {*fields_, options.mixer},
                    .stagnation = Stagnation(options.may_change_preconditioner),
                    .last = solve_scf<S, GridFields>(
                        system.scf, density_, initial_of<S>(), options,
                        {observer, checkpoints.watch(bands), ending(system, result, activity)}, std::move(earlier))}};
      } while (add_bands(bands, *earlier, options));
      result.scf = std::move(earlier->last);
      fill_parallel(result, bands);
      if (!result.scf.stopped) {
        if (activity && problem_.checkpoint) activity({Stage::checkpoint});
        checkpoints.finish(bands, result.scf, density_);
      }
    }
    result.bands = problem_.bands;
    if (restart_) result.restart = restart_->report(environment_.groups);
    restart_.reset();  // the file may have just been replaced
    result.scf.stopped = result.scf.stopped || checkpoints.asked_to_stop();
    if (solves_once_) release_stop_signals();  // no further step checks for signals: the next one ends the process
    result.stop_signal = checkpoints.signal();
    result.checkpoint = checkpoints.report();
    if (!result.scf.stopped) add_final_results(result, activity);
    return result;
  }

  /// Whether the number of bands is free, and the complement of all bands holds more.
  template <class T>
  [[nodiscard]] bool may_add_bands(const MyBands<T>& bands) const {
    return problem_.may_add_bands && most_bands_of(bands) > problem_.bands;
  }

  template <class T>
  [[nodiscard]] Index most_bands_of(const MyBands<T>& bands) const {
    Index most = std::numeric_limits<Index>::max();
    for (const auto& one : bands) most = std::min(most, most_bands(problem_.bands, one->h.dimension()));
    return world().min(most);
  }

  /// Raises the number of bands where a loop has ended to ask for it; the next loop adds them to those it finds. False
  /// where the calculation does not continue.
  template <class T>
  [[nodiscard]] bool add_bands(const MyBands<T>& bands, EarlierSteps<GridFields>& earlier, const ScfOptions& options) {
    const ScfResult& last = earlier.last;
    if (!options.asks_for_bands || !last.too_few_bands || last.stopped || last.steps + 1 >= options.max_steps)
      return false;
    const Index more = std::min(last.enough_bands, most_bands_of(bands));
    require_memory_for(world(), problem_, more);
    problem_.bands = more;
    earlier.mixer = {*fields_, options.mixer};  // the pairs of too few bands do not continue those of more
    return true;
  }

  /// Adds results that need a self-consistent density.
  void add_final_results(CalculationResult& result, const ActivityObserver& activity) {
    if (!problem_.band_path.empty())
      result.path = compute_band_structure<S>(
          environment_, problem_, *fields_, *potential_, density_,
          [this](PlaneWaveBands<S>& bands, Index count) { return initial_bands_of(bands, count); }, result.work,
          activity);
    if (!problem_.keep_density) return;
    for (const auto& component : density_)
      result.density.push_back(gather_field(world(), fields_->grid().layout(), fields_->to_values(component)));
  }

  /// Saves the plans known to FFTW, and applies the transport that earlier runs have stored.
  template <class T>
  MyBands<T>& ready(MyBands<T>& bands) {
    environment_.wisdom.save(world());
    world().together([&] { recall_transport(bands, environment_.ranks.all(), problem_.transports_file); });
    return bands;
  }

  template <class T>
  PlaneWaveSystem<T> system_of(MyBands<T>& bands, double ewald) {
    std::vector<double> weights;
    for (const KPoint& point : problem_.kpoints) weights.push_back(point.weight);
    return {{environment_.groups,
             list_of(bands),
             *fields_,
             *potential_,
             {electrons(), problem_.smearing, problem_.spins, problem_.total_magnetisation},
             std::move(weights),
             problem_.bands,
             ewald,
             local_g0_energy(problem_.crystal, problem_.pseudopotentials, electrons())},
            bands};
  }

  /// The callback that computes the requested derivatives at the end of the loop over `system`.
  ScfEnding<GridFields> ending(const PlaneWaveSystem<S>& system, CalculationResult& result,
                               const ActivityObserver& activity) {
    if (!problem_.derivatives.any()) return {};
    return [&](const ScfEnd<GridFields>& end) {
      if (activity) activity({Stage::derivatives});
      const DerivativeAtoms atoms{problem_.crystal, problem_.pseudopotentials, environment_.pseudo_atoms,
                                  problem_.symmetry, problem_.deterministic};
      result.derivatives = compute_derivatives<S>(system, atoms, end, problem_.derivatives);
    };
  }

  template <class T>
  [[nodiscard]] BandStart<T> initial_of() {
    return [this](KohnShamBands<T>& bands) {
      return initial_bands_of(static_cast<PlaneWaveBands<T>&>(bands), problem_.bands);
    };
  }
  template <class T>
  EigenState<T> initial_bands_of(PlaneWaveBands<T>& bands, Index count) {
    if (restart_)
      if (auto state = restart_->bands<T>(bands, count)) return std::move(*state);
    return initial_bands<T>(bands.h, problem_.initial_wavefunctions, bands.basis->sphere.k(), problem_.crystal,
                            environment_.pseudo_atoms, count);
  }

  template <class T>
  void fill_parallel(CalculationResult& result, const MyBands<T>& bands) {
    ParallelReport& report = result.parallel;
    const bool is_new = !bands.empty() && !(report.tuning && !report.tuning->rows.empty());
    if (is_new) report.tuning = bands.front()->basis->fft.sphere().tuning();
    const bool writes = environment_.groups.my_kpoint_group() == 0 && environment_.groups.my_band_group() == 0;
    world().together([&] {
      if (is_new && writes) remember_transport(bands, environment_.ranks.all(), problem_.transports_file);
    });
    if (!bands.empty() && !(report.band_tuning && !report.band_tuning->rows.empty()))
      report.band_tuning = bands.front()->basis->fft.tuning();
    report.transport = transport_label(bands, environment_.ranks.all(), problem_.transport);
  }

  /// All other values of a result.
  void finish(CalculationResult& result) {
    result.kpoints = problem_.kpoints;
    result.kpoints_description = problem_.kpoints_description;
    result.mixed_precision = begins_in_single(problem_);
    result.eigensolver = environment_.eigensolver.kind;
    result.eigensolver_reason = environment_.eigensolver.reason;
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
    result.peak_memory = static_cast<double>(world().max(static_cast<Index>(peak_memory())));
  }

  Problem problem_;
  bool solves_once_;
  Environment environment_;
  SessionBands<S> bands_;
  LoadStatistics load_;  ///< of the first k-point's sphere
  std::unique_ptr<GridFields> fields_;
  std::optional<GridPotential> potential_;
  SpinCoefficients density_;
  std::optional<SolvedGeometry> solved_;  ///< the geometry of density and bands
  std::optional<Restart> restart_;        ///< open during the first solve only
  PhaseSeconds seconds_before_;
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
    (void)ParallelLayout(problem, comm.size());
    reserve_blas_memory(problem.threads);
  });
  if (problem.mode == Mode::gamma)
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
