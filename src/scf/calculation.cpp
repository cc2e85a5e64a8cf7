#include "scf/calculation.hpp"

#include <cmath>
#include <cstdint>
#include <numeric>
#include <tuple>

#include "base/error.hpp"
#include "base/process_memory.hpp"
#include "eigen/converge_bands.hpp"
#include "fft/wisdom.hpp"
#include "layout/block_layout.hpp"
#include "scf/checkpoint_keeper.hpp"
#include "scf/choose_eigensolver.hpp"
#include "scf/start_density.hpp"
#include "scf/transport_choice.hpp"
#include "terms/ewald.hpp"

namespace wavegrid {

namespace {

/// Ewald energy, the work shared by the ranks; deterministic: in a number of parts that does not depend on theirs.
/// Collective.
double ewald_of(const Comm& comm, const Crystal& crystal, const Pseudopotentials& atoms, bool deterministic) {
  std::vector<Vec3> positions;
  std::vector<double> charges;
  for (const Atom& atom : crystal.atoms) {
    positions.push_back(atom.position);
    charges.push_back(atoms[static_cast<std::size_t>(atom.species)]->valence_charge());
  }
  const int num_parts = deterministic ? 64 : comm.size();
  std::vector<double> parts(static_cast<std::size_t>(num_parts), 0.0);
  for (int part = comm.rank(); part < num_parts; part += comm.size())
    parts[static_cast<std::size_t>(part)] = ewald_energy(crystal.lattice, positions, charges, part, num_parts);
  comm.merge(std::span<double>(parts));
  return std::accumulate(parts.begin(), parts.end(), 0.0);
}

void require_sound(const Problem& problem) {
  require_valid(problem.crystal);
  if (problem.pseudopotentials.size() != problem.crystal.species.size())
    throw bad_input("there are " + std::to_string(problem.pseudopotentials.size()) + " pseudopotentials for " +
                    std::to_string(problem.crystal.species.size()) + " species; give one for each");
  if (problem.bands < 1) throw bad_input("the number of bands must be at least 1");
  if (problem.threads < 1) throw bad_input("the number of threads must be at least 1");
  if (!(problem.scf.energy_tolerance > 0)) throw bad_input("the energy tolerance must be positive");
  if (problem.kpoints.empty()) throw bad_input("there are no k-points; give at least one");
  if (problem.spins != 1 && problem.spins != 2)
    throw bad_input("there are " + std::to_string(problem.spins) + " spin channels; 1 or 2 are possible");
  if (!problem.moments.empty() && problem.moments.size() != problem.crystal.atoms.size())
    throw bad_input("there are " + std::to_string(problem.moments.size()) + " moments for " +
                    std::to_string(problem.crystal.num_atoms()) + " atoms; give one for each");
  if (problem.deterministic && problem.precision == Precision::mixed)
    throw bad_input(
        "a deterministic calculation has double precision throughout; precision may be auto or double then");
  (void)Xc::parse(problem.xc, problem.spins);
  for (const auto* points : {&problem.kpoints, &problem.band_path})
    for (const KPoint& point : *points)
      (void)GSphere(problem.crystal.lattice, problem.ecut, problem.grid, problem.mode, point.k);
}

/// Patient planning costs a second or two the first time on a machine and saves a tenth of the transforms' time: worth
/// it where they will take minutes. Later runs plan from wisdom.
PlanEffort effort_for(const Problem& problem) {
  const double points = static_cast<double>(problem.grid[0]) * problem.grid[1] * problem.grid[2];
  const double band_points =
      points * static_cast<double>(problem.bands) * static_cast<double>(problem.kpoints.size()) * problem.spins;
  return band_points > 2e8 ? PlanEffort::patient : PlanEffort::measure;
}

/// The ranks that share density and potentials: those of the one band group, or all in slabs.
ProcessGrid ranks_of_fields(const ProcessGroups& levels, const Partition& partition, const Int3& grid) {
  const bool one_group = levels.counts() == GroupCounts{};
  const GridShape shape = one_group ? partition.shape : plane_shape(levels.world().size(), grid[0]);
  return {levels.world(), shape.rows, shape.columns};
}

Scheme scheme_of_fields(const ProcessGroups& levels, const Partition& partition) {
  return levels.counts() == GroupCounts{} ? partition.scheme : Scheme::greedy;
}

/// Everything that lives as long as the calculation, in the order in which it is needed; all but the bands.
class Calculation {
 public:
  Calculation(const Comm& comm, const Problem& problem, Trace* trace)
      : problem_(problem),
        profile_(trace),
        division_(problem, comm.size()),
        eigensolver_(choose_eigensolver(problem)),
        levels_(comm.timed(&profile_), division_.levels.counts),
        choice_(division_.partition(problem, levels_.bandgroup().size())),
        ranks_(levels_.bandgroup(), choice_.partition.shape.rows, choice_.partition.shape.columns, comm),
        field_ranks_(ranks_of_fields(levels_, choice_.partition, problem.grid)),
        grid_(field_ranks_, problem.crystal.lattice, problem.grid, scheme_of_fields(levels_, choice_.partition),
              fft_options(PlanEffort::estimate)),
        potential_(grid_, Xc::parse(problem.xc, problem.spins), problem.crystal, problem.pseudopotentials,
                   problem.ecut),
        fields_(
            comm, grid_.layout(),
            FftLayout(division_.sphere, choice_.partition, levels_.bandgroup().rank(), sizeof(std::complex<double>)),
            problem.transport.value_or(Transport::alltoallv)),
        symmetriser_(grid_, problem.symmetry),
        pseudo_atoms_(solve_pseudo_atoms(problem.pseudopotentials)),
        electrons_(count_electrons(problem.crystal, problem.pseudopotentials) - problem.charge),
        checkpoints_(problem, levels_, grid_, potential_) {}

  template <class S>
  CalculationResult run(const ScfObserver& observer) {
    const double ewald = ewald_of(levels_.world(), problem_.crystal, problem_.pseudopotentials, problem_.deterministic);
    if (!problem_.restart_file.empty()) restart_.emplace(levels_.world(), problem_.restart_file, problem_.crystal);
    SpinCoefficients density = start_density();
    CalculationResult result;
    ScfOptions options = problem_.scf;
    if (!options.mixer.preconditioner)
      options.mixer.preconditioner =
          choose_preconditioner(grid_, problem_.smearing.kind == SmearingKind::fixed, grid_.to_real(density[0]));
    result.eigensolver = eigensolver_.kind;
    result.eigensolver_reason = eigensolver_.reason;
    result.preconditioner = *options.mixer.preconditioner;
    std::optional<ScfApproach> approach;
    MyBands<S> bands;
    if (begins_in_single(problem_)) {
      using Single = SingleOf<S>;
      auto coarse = prepared_bands<Single>();
      approach.emplace(approach_scf<Single>(system_of(coarse, ewald), density, lowest_bands<Single>(), options,
                                            {observer, checkpoints_.watch(coarse)}));
      fill_figures(result, coarse);
      if (!approach->stopped) bands = in_double<S>(std::move(coarse));
    } else {
      bands = prepared_bands<S>();
    }
    if (approach && approach->stopped) {
      result.scf = std::move(*approach->stopped);
    } else {
      const ScfSystem<S> system = system_of(bands, ewald);
      result.scf = solve_scf<S>(system, density, lowest_bands<S>(), options,
                                {observer, checkpoints_.watch(bands), ending(system, result)}, std::move(approach));
      fill_figures(result, bands);
    }
    if (!result.scf.stopped) checkpoints_.finish(bands, result.scf, density);
    bands.clear();
    if (restart_) result.restart = restart_->report(levels_);
    restart_.reset();  // the file may have just been replaced
    result.scf.stopped = result.scf.stopped || checkpoints_.asked_to_stop();
    result.stop_signal = checkpoints_.signal();
    result.checkpoint = checkpoints_.figures();
    if (result.scf.stopped) return finished(std::move(result));
    if (!problem_.band_path.empty()) result.path = band_structure<S>(density, result);
    if (problem_.keep_density) result.density = whole_density(density);
    return finished(std::move(result));
  }

 private:
  /// With seconds and memory.
  CalculationResult finished(CalculationResult result) {
    fill_seconds(result);
    result.peak_memory = static_cast<double>(levels_.world().max(static_cast<Index>(peak_memory())));
    return result;
  }

  template <class S>
  ScfSystem<S> system_of(MyBands<S>& bands, double ewald) {
    return {levels_,
            bands,
            grid_,
            potential_,
            fields_,
            symmetriser_,
            {electrons_, problem_.smearing, problem_.spins, problem_.total_moment},
            weights(),
            problem_.bands,
            ewald,
            core_energy(problem_.crystal, problem_.pseudopotentials, electrons_)};
  }

  /// Derivatives of the energy at the end of the loop over `system`, where wanted.
  template <class S>
  ScfEnding ending(const ScfSystem<S>& system, CalculationResult& result) {
    if (!problem_.derivatives.any()) return {};
    return [&](const ScfEnd& end) {
      const AtomsOfCalculation atoms{problem_.crystal, problem_.pseudopotentials, pseudo_atoms_, problem_.symmetry,
                                     problem_.deterministic};
      result.derivatives = compute_derivatives<S>(system, atoms, end, problem_.derivatives);
    };
  }

  template <class S>
  [[nodiscard]] BandStart<S> lowest_bands() {
    return [this](KPointBands<S>& of_k) { return start_of(of_k, problem_.bands); };
  }

  template <class S>
  MyBands<S> prepared_bands() {
    MyBands<S> bands = make_bands<S>(problem_.kpoints);
    wisdom_.save(levels_.world());
    recall_transport(bands, ranks_.all(), problem_.transports_file);
    return bands;
  }

  /// The same bands in double precision, HX left open; one after the other, so that not all are there twice.
  template <class S>
  MyBands<S> in_double(MyBands<SingleOf<S>> coarse) {
    for (auto& one : coarse) {
      one->solver.restart();
      one->state.hx = {};
    }
    std::optional<TunerReport> tuning, band_tuning;
    if (!coarse.empty()) band_tuning = coarse.front()->basis->fft.tuning();
    if (!coarse.empty() && !coarse.front()->basis->fft.sphere().is_tuning())
      tuning = coarse.front()->basis->fft.sphere().tuning();
    auto next = coarse.begin();
    MyBands<S> bands = make_bands<S>(problem_.kpoints, [&](KPointBands<S>& one) {
      if (tuning) one.basis->fft.sphere().decide(tuning->chosen, "that of single precision");
      if (band_tuning && !band_tuning->rows.empty())
        one.basis->fft.decide(band_tuning->chosen, "that of single precision");
      const BandView<SingleOf<S>> from = (*next)->state.x.view();
      one.state = EigenState<S>(from.rows, from.count);
      std::copy_n(from.data, from.rows * from.count, one.state.x.view().data);
      (next++)->reset();
    });
    wisdom_.save(levels_.world());
    return bands;
  }

  [[nodiscard]] FftOptions fft_options(PlanEffort effort) {
    return {.transport = problem_.transport,
            .threads = problem_.threads,
            .effort = effort,
            .profile = &profile_,
            .deterministic = problem_.deterministic,
            .workspace = workspace_};
  }

  [[nodiscard]] std::vector<double> weights() const {
    std::vector<double> all;
    for (const KPoint& point : problem_.kpoints) all.push_back(point.weight);
    return all;
  }

  template <class S>
  std::shared_ptr<KPointBasis<S>> basis_at(const Vec3& k, std::shared_ptr<ProjectorMemory<S>> projectors = nullptr) {
    const GSphere sphere(problem_.crystal.lattice, problem_.ecut, problem_.grid, problem_.mode, k);
    const Partition& first = choice_.partition;
    Partition partition = make_partition(first.scheme, sphere.counts(), first.shape, first.parts);
    return std::make_shared<KPointBasis<S>>(levels_, ranks_, sphere, std::move(partition),
                                            fft_options(effort_for(problem_)), problem_.crystal,
                                            problem_.pseudopotentials, std::move(projectors));
  }

  /// The k-points and spins of this rank's k-group: a block of all, both spins of a k-point side by side.
  [[nodiscard]] Range my_share(const std::vector<KPoint>& points) const {
    const Index all = static_cast<Index>(points.size()) * problem_.spins;
    return BlockLayout(all, levels_.counts().kgroups).range(levels_.my_kgroup());
  }

  /// The bands of this rank's share of `points`, each handed to `prepare` once it is there.
  template <class S>
  MyBands<S> make_bands(
      const std::vector<KPoint>& points, const std::function<void(KPointBands<S>&)>& prepare = [](KPointBands<S>&) {}) {
    MyBands<S> bands;
    const Range mine = my_share(points);
    std::shared_ptr<KPointBasis<S>> basis;
    const auto work = std::make_shared<Directions<S>>();
    const auto projectors =
        KPointBasis<S>::shares_projectors(problem_.bands) ? std::make_shared<ProjectorMemory<S>>() : nullptr;
    for (Index i = mine.begin; i < mine.end; ++i) {
      const int k = static_cast<int>(i / problem_.spins), spin = static_cast<int>(i % problem_.spins);
      if (i == mine.begin || spin == 0) basis = basis_at<S>(points[static_cast<std::size_t>(k)].k, projectors);
      bands.push_back(std::make_unique<KPointBands<S>>(basis, k, spin, eigensolver_.kind, &profile_, work));
      prepare(*bands.back());
    }
    return bands;
  }

  template <class S>
  EigenState<S> start_of(KPointBands<S>& bands, Index count) {
    if (restart_)
      if (auto state = restart_->bands<S>(bands, count)) return std::move(*state);
    return start_bands<S>(bands.h, problem_.start, bands.basis->sphere.k(), problem_.crystal, pseudo_atoms_, count);
  }

  /// Superposed atoms, scaled to the exact number of electrons, with the moments that the atoms start from.
  SpinCoefficients start_density() {
    SpinCoefficients density{superposed_density(grid_.waves(), problem_.crystal, pseudo_atoms_)};
    const Index zero = grid_.waves().zero();
    const double mean = grid_.comm().sum(zero >= 0 ? density[0][static_cast<std::size_t>(zero)].real() : 0.0);
    const double scale = electrons_ / problem_.crystal.lattice.volume() / mean;
    for (auto& value : density[0]) value *= scale;
    if (problem_.spins == 2) density.push_back(start_magnetisation(density[0]));
    if (restart_) take_over(density);
    return density;
  }

  /// The density of a checkpoint instead, made to fit: as many electrons as here, the symmetry of this crystal.
  void take_over(SpinCoefficients& density) {
    density = restart_->density(grid_, std::move(density), pseudo_atoms_);
    if (const Index zero = grid_.waves().zero(); zero >= 0)
      density[0][static_cast<std::size_t>(zero)] = electrons_ / problem_.crystal.lattice.volume();
    if (symmetriser_.is_identity()) return;
    for (auto& component : density) symmetriser_.symmetrise(component);
  }

  GridFft::Coefficients start_magnetisation(const GridFft::Coefficients& electrons) const {
    if (!problem_.moments.empty()) {
      std::vector<double> shares;
      for (int a = 0; a < problem_.crystal.num_atoms(); ++a) {
        const int species = problem_.crystal.atoms[static_cast<std::size_t>(a)].species;
        shares.push_back(problem_.moments[static_cast<std::size_t>(a)] /
                         problem_.pseudopotentials[static_cast<std::size_t>(species)]->valence_charge());
      }
      return superposed_density(grid_.waves(), problem_.crystal, pseudo_atoms_, shares);
    }
    GridFft::Coefficients even(electrons);
    for (auto& value : even) value *= problem_.total_moment.value_or(0.0) / electrons_;
    return even;
  }

  /// Bands along the path in the potential of `density`.
  template <class S>
  BandStructure band_structure(const SpinCoefficients& density, CalculationResult& result) {
    SpinFields values, parts;
    for (const auto& component : density) values.push_back(grid_.to_real(component));
    for (const auto& component : potential_.potential(density, values)) parts.push_back(fields_.to_groups(component));
    const StateTable table{static_cast<Index>(problem_.band_path.size()), problem_.spins, problem_.bands};
    BandStructure path{std::vector<double>(static_cast<std::size_t>(table.size()), 0.0)};
    // One k-point after the other, so that memory does not grow with the path.
    const Range mine = my_share(problem_.band_path);
    Index failed = 0;
    for (Index i = mine.begin; i < mine.end; ++i) {
      const int k = static_cast<int>(i / problem_.spins), spin = static_cast<int>(i % problem_.spins);
      KPointBands<S> bands(basis_at<S>(problem_.band_path[static_cast<std::size_t>(k)].k), k, spin, Eigensolver::lobpcg,
                           &profile_);
      const auto& part = parts[static_cast<std::size_t>(spin)];
      const std::vector<RealOf<S>> potential(part.begin(), part.end());
      bands.h.set_potential(potential);
      bands.state = start_of(bands, with_guard_bands<S>(problem_.bands, bands.h));
      const ConvergedBands solved = converge_bands<S>(bands.h, bands.state, bands.solver, problem_.bands);
      path.error = std::max(path.error, solved.error);
      failed += solved.converged ? 0 : 1;
      if (levels_.kgroup().rank() == 0)
        std::copy(solved.values.begin(), solved.values.end(), path.eigenvalues.begin() + table.first(k, spin));
      count(result, bands);
    }
    levels_.world().merge(std::span<double>(path.eigenvalues));
    path.error = levels_.world().max(path.error);
    path.converged = levels_.world().max(failed) == 0;
    return path;
  }

  [[nodiscard]] SpinFields whole_density(const SpinCoefficients& density) {
    SpinFields whole;
    for (const auto& component : density)
      whole.push_back(gather_field(levels_.world(), grid_.layout(), grid_.to_real(component)));
    return whole;
  }

  /// Adds what the bands of one k-point and spin have cost, on one rank of the k-group.
  template <class S>
  void count(CalculationResult& result, const KPointBands<S>& bands, bool first_of_basis = true) const {
    if (levels_.kgroup().rank() != 0) return;
    result.h_applications += bands.h.applications();
    result.nonlocal_applications += bands.h.nonlocal_applications();
    if (first_of_basis) result.ffts += bands.basis->fft.transforms();
  }

  template <class S>
  void fill_figures(CalculationResult& result, const MyBands<S>& bands) {
    const LoadStatistics load = load_statistics(choice_.partition, division_.sphere.counts());
    result.plane_waves = load.plane_waves;
    result.max_plane_waves = load.max;
    result.min_plane_waves = load.min;
    result.ranks = levels_.world().size();
    result.levels = levels_.counts();
    result.levels_reason = division_.levels.reason;
    result.scheme = choice_.partition.scheme;
    result.shape = choice_.partition.shape;
    if (!bands.empty() && !(result.tuning && !result.tuning->rows.empty())) {
      result.tuning = bands.front()->basis->fft.sphere().tuning();
      if (levels_.my_kgroup() == 0 && levels_.my_bandgroup() == 0)  // one band group writes for all
        remember_transport(bands, ranks_.all(), problem_.transports_file);
    }
    if (!bands.empty() && !(result.band_tuning && !result.band_tuning->rows.empty()))
      result.band_tuning = bands.front()->basis->fft.tuning();
    result.transport = transport_label(bands, ranks_.all(), problem_.transport);
    result.partition_reason = choice_.reason;
    result.mixed_precision = begins_in_single(problem_);
    for (std::size_t i = 0; i < bands.size(); ++i)
      count(result, *bands[i], i == 0 || bands[i]->basis != bands[i - 1]->basis);
  }

  void fill_seconds(CalculationResult& result) {
    Index counts[3] = {result.h_applications, result.nonlocal_applications, result.ffts};
    levels_.world().sum(std::span<Index>(counts));
    std::tie(result.h_applications, result.nonlocal_applications, result.ffts) =
        std::tuple(counts[0], counts[1], counts[2]);
    auto& s = result.seconds;
    for (std::size_t phase = 0; phase < num_phases; ++phase)
      s.of_phase[phase] = profile_.seconds(static_cast<Phase>(phase));
    s.total = std::accumulate(s.of_phase.begin(), s.of_phase.end(), 0.0);
  }

  const Problem& problem_;
  Profile profile_;
  Wisdom wisdom_;
  Division division_;
  EigensolverChoice eigensolver_;
  ProcessGroups levels_;
  PartitionChoice choice_;
  ProcessGrid ranks_, field_ranks_;
  std::shared_ptr<FftWorkspace> workspace_ = std::make_shared<FftWorkspace>();  ///< of all k-points and the fields
  GridFft grid_;
  EffectivePotential potential_;
  FieldExchange fields_;
  DensitySymmetriser symmetriser_;
  std::vector<PseudoAtom> pseudo_atoms_;
  double electrons_;
  std::optional<Restart> restart_;
  CheckpointKeeper checkpoints_;
};

}  // namespace

Division::Division(const Problem& problem, int ranks)
    : sphere(problem.crystal.lattice, problem.ecut, problem.grid, problem.mode, problem.kpoints.front().k) {
  GroupOptions wish = problem.levels;
  if (problem.shape) wish.grid_ranks = problem.shape->rows * problem.shape->columns;
  if (problem.deterministic && !problem.shape) {  // groups that follow the ranks would change the order of sums
    wish.kgroups = wish.kgroups.value_or(1);
    wish.bandgroups = wish.bandgroups.value_or(1);
  }
  levels = choose_groups(
      ranks,
      {static_cast<Index>(problem.kpoints.size()) * problem.spins, problem.bands, sphere.counts(), problem.grid[0]},
      wish);
  if (problem.deterministic && !problem.levels.kgroups && !problem.levels.bandgroups && !problem.shape && ranks > 1)
    levels.reason = "deterministic: one group, where the input does not say how many";
}

PartitionChoice Division::partition(const Problem& problem, int ranks) const {
  if (!problem.shape) return choose_partition(problem.scheme, sphere.counts(), problem.grid[0], ranks);
  const Scheme scheme = problem.scheme.value_or(problem.shape->rows == 1 ? Scheme::greedy : Scheme::optimized);
  return {make_partition(scheme, sphere.counts(), *problem.shape, ranks), "set in the input"};
}

bool begins_in_single(const Problem& problem) {
  if (problem.precision == Precision::double_only || problem.deterministic || problem.scf.max_steps < 2) return false;
  if (problem.precision == Precision::mixed) return true;
  // Seen to end well with 324 electrons (Al108), to stand still above its goal with 1500 (Al500).
  constexpr double most_electrons = 500;
  const double electrons = count_electrons(problem.crystal, problem.pseudopotentials);
  return electrons <= most_electrons && problem.scf.energy_tolerance >= single_precision_reach * electrons;
}

CalculationResult run_calculation(const Comm& comm, const Problem& problem, const ScfObserver& observer, Trace* trace) {
  comm.together([&] {
    require_sound(problem);
    (void)Division(problem, comm.size());
  });
  Calculation calculation(comm, problem, trace);
  if (problem.mode == Mode::gamma) return calculation.run<double>(observer);
  return calculation.run<std::complex<double>>(observer);
}

}  // namespace wavegrid
