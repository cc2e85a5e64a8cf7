#include <type_traits>
#include <utility>

#include <wavegrid/crystal/extent.hpp>
#include <wavegrid/discretisation/rotated_bands.hpp>
#include <wavegrid/hamiltonian/velocity.hpp>
#include <wavegrid/mpi/window.hpp>
#include <wavegrid/planewaves/atomic_orbitals.hpp>
#include <wavegrid/planewaves/gauge_transport.hpp>
#include <wavegrid/planewaves/initial_wavefunctions.hpp>
#include <wavegrid/planewaves/local_orbital_solver.hpp>
#include <wavegrid/planewaves/plane_wave_checkpoint.hpp>
#include <wavegrid/planewaves/plane_wave_discretisation.hpp>
#include <wavegrid/problem/free_boundaries.hpp>
#include <wavegrid/scf/choose_preconditioner.hpp>
#include <wavegrid/terms/dataset_matrices.hpp>
#include <wavegrid/wavefunctions/reassign.hpp>
#include <wavegrid/xc/xc.hpp>

namespace wavegrid {

namespace {

/// Patient planning costs a second or two the first time on a machine and saves a tenth of the transforms' time: worth
/// it where they will take minutes. Later runs plan from wisdom.
PlanEffort effort_for(const Problem& problem) {
  const double points = static_cast<double>(problem.grid[0]) * problem.grid[1] * problem.grid[2];
  const double band_points =
      points * static_cast<double>(problem.bands) * static_cast<double>(problem.kpoints.size()) * problem.spins;
  return band_points > 2e8 ? PlanEffort::patient : PlanEffort::measure;
}

bool is_one_group(const ProcessGroups& groups) { return groups.counts() == GroupCounts{}; }

ProcessGrid ranks_of_fields(const ProcessGroups& groups, const Partition& partition, const Int3& grid) {
  const GridShape shape = is_one_group(groups) ? partition.shape : plane_shape(groups.world().size(), grid[0]);
  return {groups.world(), shape.rows, shape.columns};
}

/// Those of densities and potentials, on both grids.
TunedExchanges field_exchanges(GridFields& fields) {
  TunedExchanges all = tuned_exchanges(fields.grid(), &fields.exchange());
  GridTransfer* const transfer = fields.transfer();
  if (transfer == nullptr) return all;
  for (TunedExchange& one : tuned_exchanges(transfer->bands_grid(), nullptr)) {
    one.name = "field transforms of the bands' grid";
    all.push_back(std::move(one));
  }
  if (!transfer->plan().is_identity())
    all.push_back(tuned_exchange("field grids", transfer->plan(), transfer->plan().comm(), {&transfer->plan()},
                                 sizeof(std::complex<double>)));
  return all;
}

}  // namespace

PlaneWaveDiscretisation::PlaneWaveDiscretisation(Setting& setting, const Comm& comm, const Problem& problem)
    : setting_(setting),
      partition_(ParallelLayout(problem, comm.size()).partition(problem, setting.groups.band_group().size())),
      ranks_(setting.groups.band_group(), partition_.partition.shape.rows, partition_.partition.shape.columns, comm),
      field_ranks_(ranks_of_fields(setting.groups, partition_.partition, problem.grid)),
      field_scheme_(is_one_group(setting.groups) ? partition_.partition.scheme : Scheme::greedy),
      projectors_(choose_projectors(problem, setting.pseudo_atoms)),
      reassignment_{.given = problem.transport} {
  Window::free_orphaned(comm);  // of an earlier session that an error has ended
}

void PlaneWaveDiscretisation::make_space(const Problem& problem) {
  const GSphere sphere(problem.crystal.lattice, problem.ecut, problem.grid, problem.mode, problem.kpoints.front().k);
  const Partition partition = partition_of(sphere);
  load_ = load_statistics(partition, sphere.counts());
  const FftLayout group_layout(sphere, partition, setting_.groups.band_group().rank(), sizeof(std::complex<double>));
  fields_ = std::make_unique<GridFields>(
      problem.crystal.lattice, problem.grid, has_all_waves(problem) ? whole_grid_ecut : problem.ecut, problem.symmetry,
      GridFields::Distribution{field_ranks_, field_scheme_, group_layout, problem.transport},
      fft_options(problem, PlanEffort::estimate), problem.density_grid, problem.periodic(),
      cutoff_radius(problem.crystal.lattice, problem.periodic()));
}

std::unique_ptr<GridFields> PlaneWaveDiscretisation::replace_space(const SolvedGeometry& before,
                                                                   const Problem& problem) {
  if (before.has_same_basis(problem)) {
    if (!problem.symmetry.is_identity() || fields_->has_symmetry()) fields_->set_symmetry(problem.symmetry);
    return nullptr;
  }
  std::unique_ptr<GridFields> old = std::move(fields_);
  make_space(problem);
  carry_transports(field_exchanges(*old), field_exchanges(*fields_));
  return old;
}

PreconditionerChoice PlaneWaveDiscretisation::choose_preconditioner(const Problem& problem,
                                                                    const SpinCoefficients& density) {
  const FieldValues n = fields_->to_values(density[0]);
  const bool polarised_with_tau = problem.spins == 2 && Xc::parse(problem.xc).needs_tau() &&
                                  is_strongly_polarised(*fields_, n, fields_->to_values(density[1]));
  return wavegrid::choose_preconditioner(has_vacuum(*fields_, n), problem.smearing.kind == SmearingKind::fixed,
                                         smallest_wave_number(problem.crystal), polarised_with_tau);
}

void PlaneWaveDiscretisation::gather(const SpinCoefficients& density, GatheredFields& result) {
  result.counts = fields_->grid().grid();
  for (const auto& component : density)
    result.values.push_back(
        gather_field(setting_.groups.world(), fields_->grid().layout(), fields_->to_values(component)));
}

FftOptions PlaneWaveDiscretisation::fft_options(const Problem& problem, PlanEffort effort) {
  return {.transport = problem.transport,
          .threads = problem.threads,
          .effort = effort,
          .profile = &setting_.profile,
          .deterministic = problem.deterministic,
          .laplacians = Xc::parse(problem.xc).needs_tau(),
          .workspace = workspace_};
}

Partition PlaneWaveDiscretisation::partition_of(const GSphere& sphere) const {
  const Partition& first = partition_.partition;
  return make_partition(first.scheme, sphere.counts(), first.shape, first.parts);
}

PlaneWaves PlaneWaveDiscretisation::waves_at(const Problem& problem, const Lattice& lattice, const Int3& grid,
                                             const Vec3& k) const {
  const GSphere sphere(lattice, problem.ecut, grid, problem.mode, k);
  const Comm& kpoint_group = setting_.groups.kpoint_group();
  return {sphere,
          BandFft<double>::partition_rows(sphere, partition_of(sphere), setting_.groups.counts().band_groups,
                                          kpoint_group.size(), problem.deterministic),
          kpoint_group.rank()};
}

template <class Real>
std::shared_ptr<ProjectorSpheres<Real>> PlaneWaveDiscretisation::spheres(const Problem& problem) {
  auto& made = [this]() -> std::shared_ptr<ProjectorSpheres<Real>>& {
    if constexpr (std::is_same_v<Real, double>)
      return spheres_;
    else
      return single_spheres_;
  }();
  if (!made)
    made = std::make_shared<ProjectorSpheres<Real>>(
        ProjectorFilter{problem.ecut, problem.projector_accuracy, setting_.pseudo_atoms}, problem.deterministic);
  return made;
}

template <class S>
std::shared_ptr<KPointBasis<S>> PlaneWaveDiscretisation::make_basis(const Problem& problem, const Vec3& k,
                                                                    std::shared_ptr<ProjectorMemory<S>> memory) {
  const auto make_projectors = [&](const GSphere& at_k, BandFft<RealOf<S>>& fft) -> std::unique_ptr<Projectors<S>> {
    const Crystal& crystal = problem.crystal;
    const Pseudopotentials& potentials = problem.pseudopotentials;
    if (projectors_.in_real_space)
      return std::make_unique<GridProjectors<S>>(
          fft, at_k.k(), crystal, potentials, spheres<RealOf<S>>(problem),
          GridProjectorOptions{setting_.groups, ranks_.all(), problem.deterministic, &setting_.profile});
    if (const auto* twin = projectors_in_double<S>(problem, at_k.k(), fft.rows().size()))
      return std::make_unique<NonlocalPotential<S>>(fft.rows(), *twin);
    return std::make_unique<NonlocalPotential<S>>(fft.rows(), at_k.k(), crystal, potentials, std::move(memory),
                                                  problem.components());
  };
  GSphere sphere(problem.crystal.lattice, problem.ecut, problem.grid, problem.mode, k);
  if (norm2(problem.vector_potential) != 0) sphere = sphere.shifted(problem.kpoint_shift());
  FftOptions options = fft_options(problem, effort_for(problem));
  options.components = problem.components();
  return std::make_shared<KPointBasis<S>>(setting_.groups, ranks_, sphere, partition_of(sphere), options,
                                          make_projectors);
}

template <class S>
const NonlocalPotential<DoubleOf<S>>* PlaneWaveDiscretisation::projectors_in_double(const Problem& problem,
                                                                                    const Vec3& k, Index waves) const {
  if constexpr (is_single<S>)
    for (const auto& living : std::get<Living<DoubleOf<S>>>(in_double_))
      if (const auto basis = living.lock())
        if (const auto* found = dynamic_cast<const NonlocalPotential<DoubleOf<S>>*>(basis->projectors.get()))
          if (found->serves(waves, k, problem.crystal, problem.pseudopotentials)) return found;
  return nullptr;
}

template <class S>
MyBands<S> PlaneWaveDiscretisation::make_bands(const Problem& problem,
                                               const std::function<void(PlaneWaveBands<S>&)>& prepare) {
  MyBands<S> bands;
  const Range mine = setting_.my_share(num_band_sets(problem));
  std::shared_ptr<KPointBasis<S>> basis;
  const auto work = std::make_shared<Directions<S>>();
  const auto memory =
      KPointBasis<S>::shares_projectors(problem.bands) ? std::make_shared<ProjectorMemory<S>>() : nullptr;
  const char* const reason = "choice of the previous bands";
  if constexpr (!is_single<S>) std::get<Living<S>>(in_double_).clear();
  for (Index i = mine.begin; i < mine.end; ++i) {
    const int k = static_cast<int>(i / problem.spins), spin = static_cast<int>(i % problem.spins);
    if (i == mine.begin || spin == 0) {
      basis = make_basis<S>(problem, problem.kpoints[static_cast<std::size_t>(k)].k, memory);
      if constexpr (!is_single<S>) std::get<Living<S>>(in_double_).push_back(basis);
    }
    bands.push_back(
        std::make_unique<PlaneWaveBands<S>>(basis, k, spin, setting_.eigensolver.kind, &setting_.profile, work));
    PlaneWaveBands<S>& one = *bands.back();
    if (bands.size() > 1) one.h.follow(bands.front()->basis->fft);
    if (chosen_.transposes) one.basis->fft.sphere().decide(chosen_.transposes->chosen, reason);
    if (chosen_.bands) one.basis->fft.decide(chosen_.bands->chosen, reason);
    if (prepare) prepare(one);
  }
  return bands;
}

template <class S>
std::unique_ptr<PlaneWaveBands<S>> PlaneWaveDiscretisation::make_path_bands(const Problem& problem, int k, int spin) {
  return std::make_unique<PlaneWaveBands<S>>(make_basis<S>(problem, problem.band_path[static_cast<std::size_t>(k)].k),
                                             k, spin, Eigensolver::lobpcg, &setting_.profile);
}

template <class S>
void PlaneWaveDiscretisation::move_atoms(MyBands<S>& bands, const Problem& problem) {
  for (std::size_t i = 0; i < bands.size(); ++i)
    if (i == 0 || bands[i]->basis != bands[i - 1]->basis)
      bands[i]->basis->projectors->set_crystal(problem.crystal, problem.pseudopotentials);
}

/// In the old basis, also where k-points are new: BandTransfer makes the step to the new cell.
template <class S>
void PlaneWaveDiscretisation::rotate(std::vector<DetachedBands<S, PlaneWaves>>& bands, const Problem& problem,
                                     const SolvedGeometry& before, const GridFields* old) const {
  const Lattice& lattice = old ? before.crystal.lattice : problem.crystal.lattice;
  std::vector<WaveBands<S>> from, to;
  for (auto& one : bands) from.push_back({std::move(one.rows), std::move(one.x)});
  const Range share = setting_.my_share(num_band_sets(problem));
  setting_.groups.world().collectively([&] {
    for (Index set = share.begin; set < share.end; ++set)
      to.push_back({waves_at(problem, lattice, old ? before.grid : problem.grid,
                             problem.kpoints[static_cast<std::size_t>(set / problem.spins)].k)});
  });
  rotate_bands<S>(setting_.groups, problem, before, from, to);
  bands.clear();
  for (WaveBands<S>& one : to) bands.push_back({std::move(one.waves), std::move(one.x), {}, one.complete});
}

template <class S>
Bands<S> PlaneWaveDiscretisation::BandTransfer<S>::operator()(const PlaneWaves& rows, const Bands<S>& x,
                                                              PlaneWaveBands<S>& to) const {
  const InnerProduct product = wave_product(of_.setting_.groups.kpoint_group(), rows);
  Bands<S> answer(to.h.rows(), x.count());
  reassign<S>({rows, product, to.h.components()}, x.view(), to.h.wave_basis(), answer.view(), &of_.reassignment_,
              &to.h);
  return answer;
}

template <class S>
void PlaneWaveDiscretisation::set_vector_potential(MyBands<S>& bands, const Problem& problem,
                                                   [[maybe_unused]] const Vec3& change) {
  if constexpr (std::is_same_v<S, std::complex<double>>)
    if (has_augmentation(problem.pseudopotentials)) return transport_bands(bands, problem, change);
  for (std::size_t i = 0; i < bands.size(); ++i) {
    KPointBasis<S>& basis = *bands[i]->basis;
    if (i > 0 && bands[i - 1]->basis == bands[i]->basis) continue;
    const Vec3 k = problem.kpoints[static_cast<std::size_t>(bands[i]->k)].k + problem.kpoint_shift();
    basis.move_to(k);
  }
}

BandVelocity PlaneWaveDiscretisation::make_velocity(PlaneWaveBands<std::complex<double>>& bands,
                                                    const Problem& problem) {
  const auto velocity = std::make_shared<Velocity>(bands.h.waves(), bands.basis->sphere.k(), problem.crystal,
                                                   problem.pseudopotentials, bands.h.components());
  return [velocity, &bands](BandView<const std::complex<double>> psi) { return velocity->expectations(bands.h, psi); };
}

template <class S>
void PlaneWaveDiscretisation::complete(PlaneWaveBands<S>& to, Bands<S>& x) {
  (void)complete_bands<S>(to.h.wave_basis(), x.view(), x.count(), &to.h);
}

template <class S>
EigenState<S> PlaneWaveDiscretisation::initial_bands(PlaneWaveBands<S>& bands, const Problem& problem,
                                                     Index count) const {
  return wavegrid::initial_bands<S>(bands.h, problem.initial_wavefunctions, bands.basis->sphere.k(), problem.crystal,
                                    setting_.pseudo_atoms, count, common_axis(problem.initial_moment_vectors));
}

template <class S>
std::unique_ptr<ElectronSolver<GridFields>> PlaneWaveDiscretisation::make_local_orbital_solver(
    ScfSystem<S, GridFields>& system, const MyBands<S>& bands, const Problem& problem) {
  auto solver = std::make_unique<LocalOrbitalSolver<S>>(system, bands, setting_, problem);
  local_orbitals_ = solver->report();
  return solver;
}

template <class S>
Bands<S> PlaneWaveDiscretisation::atomic_orbitals(const PlaneWaveBands<S>& bands, const Problem& problem,
                                                  const std::vector<PseudoAtom>& atoms, Index count) const {
  const PlaneWaves& waves = bands.h.waves();
  std::vector<std::vector<CentredFunction>> species_functions;
  for (std::size_t s = 0; s < atoms.size(); ++s) {
    const Pseudopotential& potential = *problem.pseudopotentials[s];
    species_functions.push_back(potential.num_orbitals() > 0 ? make_atomic_orbitals(waves, potential)
                                                             : make_atomic_orbitals(waves, atoms[s]));
  }
  Bands<S> orbitals(waves.size() * rows_per_wave<S>, count);
  place_on_atoms(waves, bands.basis->sphere.k(), problem.crystal, species_functions, coefficients(orbitals.view()));
  return orbitals;
}

template <class S>
WriteState PlaneWaveDiscretisation::writing(const Problem& problem, const EnergyTerms<GridFields>& potential,
                                            const MyBands<S>& bands, const Density<GridFields>& density) {
  return writing_plane_waves<S>(problem, setting_.groups, *fields_, potential, bands, density);
}

template <class S>
TunedExchanges PlaneWaveDiscretisation::exchanges(const MyBands<S>& bands) {
  TunedExchanges all;
  if (!bands.empty()) {
    auto& fft = bands.front()->basis->fft;  // the others of a k-point group follow the first k-point's choice
    const auto& pipeline = fft.sphere().pipeline();
    const ProcessGroups& groups = setting_.groups;
    const Comm& group = groups.band_group();
    if (group.max(pipeline.exchanges() ? 1 : 0) == 1)
      all.push_back(tuned_exchange("transposes", fft.sphere(), group, {&pipeline.to_planes(), &pipeline.to_sections()},
                                   sizeof(ComplexOf<S>)));
    if (fft.plan() && !fft.plan()->is_identity())
      all.push_back(tuned_exchange(groups.counts().band_groups > 1 ? "band groups" : "row blocks", fft,
                                   groups.kpoint_group(), {fft.plan()}, sizeof(ComplexOf<S>)));
  }
  if (reassignment_.unit > 0)
    all.push_back({.name = "change of basis",
                   .comm = setting_.groups.kpoint_group(),
                   .messages = {reassignment_.messages},
                   .unit = reassignment_.unit,
                   .is_tuning = reassignment_.tuner && !reassignment_.tuner->decided(),
                   .tuning = reassignment_.tuner ? std::optional(reassignment_.tuner->report()) : std::nullopt,
                   .transport = reassignment_.transport(),
                   .decide = [this](Transport transport, const std::string& reason) {
                     reassignment_.tuner->decide(transport, reason);
                   }});
  std::ranges::move(field_exchanges(*fields_), std::back_inserter(all));
  return all;
}

template <class S>
void PlaneWaveDiscretisation::remember(const MyBands<S>& bands) {
  if (bands.empty() || !bands.front()) return;
  const auto& fft = bands.front()->basis->fft;
  if (!fft.sphere().is_tuning() && fft.sphere().tuning()) chosen_.transposes = fft.sphere().tuning();
  if (const auto tuning = fft.tuning(); tuning && !tuning->rows.empty()) chosen_.bands = tuning;
}

void PlaneWaveDiscretisation::report(DiscretisationReport& report) const {
  const Partition& partition = partition_.partition;
  report.parallel.partition = to_string(partition.scheme);
  report.parallel.partition_reason = partition_.reason;
  report.parallel.shape = partition.shape;
  report.parallel.plane_waves = load_.plane_waves;
  report.parallel.max_plane_waves = load_.max;
  report.parallel.min_plane_waves = load_.min;
  report.projectors = projectors_;
  if (local_orbitals_) report.local_orbitals = *local_orbitals_;
}

#define WAVEGRID_INSTANTIATE(S)                                                                                      \
  template MyBands<S> PlaneWaveDiscretisation::make_bands<S>(const Problem&,                                         \
                                                             const std::function<void(PlaneWaveBands<S>&)>&);        \
  template void PlaneWaveDiscretisation::move_atoms<S>(MyBands<S>&, const Problem&);                                 \
  template void PlaneWaveDiscretisation::set_vector_potential<S>(MyBands<S>&, const Problem&, const Vec3&);          \
  template EigenState<S> PlaneWaveDiscretisation::initial_bands<S>(PlaneWaveBands<S>&, const Problem&, Index) const; \
  template WriteState PlaneWaveDiscretisation::writing<S>(const Problem&, const EnergyTerms<GridFields>&,            \
                                                          const MyBands<S>&, const Density<GridFields>&);            \
  template TunedExchanges PlaneWaveDiscretisation::exchanges<S>(const MyBands<S>&);                                  \
  template void PlaneWaveDiscretisation::remember<S>(const MyBands<S>&);
WAVEGRID_FOR_ALL_SCALARS(WAVEGRID_INSTANTIATE)
#undef WAVEGRID_INSTANTIATE

#define WAVEGRID_INSTANTIATE(S)                                                                                      \
  template std::unique_ptr<PlaneWaveBands<S>> PlaneWaveDiscretisation::make_path_bands<S>(const Problem&, int, int); \
  template void PlaneWaveDiscretisation::rotate<S>(std::vector<DetachedBands<S, PlaneWaves>>&, const Problem&,       \
                                                   const SolvedGeometry&, const GridFields*) const;                  \
  template class PlaneWaveDiscretisation::BandTransfer<S>;                                                           \
  template void PlaneWaveDiscretisation::complete<S>(PlaneWaveBands<S>&, Bands<S>&);                                 \
  template std::unique_ptr<ElectronSolver<GridFields>> PlaneWaveDiscretisation::make_local_orbital_solver<S>(        \
      ScfSystem<S, GridFields>&, const MyBands<S>&, const Problem&);                                                 \
  template Bands<S> PlaneWaveDiscretisation::atomic_orbitals<S>(const PlaneWaveBands<S>&, const Problem&,            \
                                                                const std::vector<PseudoAtom>&, Index) const;
WAVEGRID_INSTANTIATE(double)
WAVEGRID_INSTANTIATE(std::complex<double>)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
