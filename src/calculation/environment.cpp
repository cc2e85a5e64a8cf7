#include "calculation/environment.hpp"

#include "calculation/initial_density.hpp"
#include "layout/block_layout.hpp"
#include "mpi/window.hpp"
#include "xc/xc.hpp"

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

}  // namespace

Environment::Environment(const Comm& comm, const Problem& problem, Trace* trace)
    : profile(trace),
      layout(problem, comm.size()),
      eigensolver(choose_eigensolver(problem)),
      groups(comm.timed(&profile), layout.groups.counts),
      partition(layout.partition(problem, groups.band_group().size())),
      ranks(groups.band_group(), partition.partition.shape.rows, partition.partition.shape.columns, comm),
      field_ranks(ranks_of_fields(groups, partition.partition, problem.grid)),
      field_scheme(is_one_group(groups) ? partition.partition.scheme : Scheme::greedy),
      pseudo_atoms(solve_pseudo_atoms(problem.pseudopotentials)),
      electrons(count_electrons(problem.crystal, problem.pseudopotentials) - problem.charge),
      projectors(choose_projectors(problem, pseudo_atoms)) {
  Window::free_abandoned(comm);  // of an earlier session that an error has ended
}

Range Environment::my_share(Index sets) const {
  return BlockLayout(sets, groups.counts().kpoint_groups).range(groups.my_kpoint_group());
}

FftOptions Environment::fft_options(const Problem& problem, PlanEffort effort) {
  return {.transport = problem.transport,
          .threads = problem.threads,
          .effort = effort,
          .profile = &profile,
          .deterministic = problem.deterministic,
          .laplacians = Xc::parse(problem.xc).needs_tau(),
          .workspace = workspace};
}

Partition Environment::partition_of(const GSphere& sphere) const {
  const Partition& first = partition.partition;
  return make_partition(first.scheme, sphere.counts(), first.shape, first.parts);
}

PlaneWaves Environment::rows_of(const Problem& problem, const Lattice& lattice, const Int3& grid, const Vec3& k) const {
  const GSphere sphere(lattice, problem.ecut, grid, problem.mode, k);
  const Comm& kpoint_group = groups.kpoint_group();
  return {sphere,
          BandFft<double>::rows_of(sphere, partition_of(sphere), groups.counts().band_groups, kpoint_group.size(),
                                   problem.deterministic),
          kpoint_group.rank()};
}

template <class Real>
std::shared_ptr<ProjectorSpheres<Real>> Environment::spheres(const Problem& problem) {
  auto& made = [this]() -> std::shared_ptr<ProjectorSpheres<Real>>& {
    if constexpr (std::is_same_v<Real, double>)
      return spheres_;
    else
      return single_spheres_;
  }();
  if (!made)
    made = std::make_shared<ProjectorSpheres<Real>>(
        ProjectorFilter{problem.ecut, problem.projector_accuracy, pseudo_atoms}, problem.deterministic);
  return made;
}

template <class S>
std::shared_ptr<KPointBasis<S>> Environment::make_basis(const Problem& problem, const Vec3& k,
                                                        std::shared_ptr<ProjectorMemory<S>> memory) {
  const auto make_projectors = [&](const GSphere& at_k, BandFft<RealOf<S>>& fft) -> std::unique_ptr<Projectors<S>> {
    const Crystal& crystal = problem.crystal;
    const Pseudopotentials& potentials = problem.pseudopotentials;
    if (projectors.in_real_space)
      return std::make_unique<GridProjectors<S>>(
          fft, k, crystal, potentials, spheres<RealOf<S>>(problem),
          GridProjectorOptions{groups, ranks.all(), problem.deterministic, &profile});
    return std::make_unique<NonlocalPotential<S>>(fft.rows(), at_k.k(), crystal, potentials, std::move(memory));
  };
  const GSphere sphere(problem.crystal.lattice, problem.ecut, problem.grid, problem.mode, k);
  return std::make_shared<KPointBasis<S>>(groups, ranks, sphere, partition_of(sphere),
                                          fft_options(problem, effort_for(problem)), make_projectors);
}

template <class S>
MyBands<S> Environment::make_bands(const Problem& problem, const std::function<void(PlaneWaveBands<S>&)>& prepare) {
  MyBands<S> bands;
  const Range mine = my_share(static_cast<Index>(problem.kpoints.size()) * problem.spins);
  std::shared_ptr<KPointBasis<S>> basis;
  const auto work = std::make_shared<Directions<S>>();
  const auto memory =
      KPointBasis<S>::shares_projectors(problem.bands) ? std::make_shared<ProjectorMemory<S>>() : nullptr;
  for (Index i = mine.begin; i < mine.end; ++i) {
    const int k = static_cast<int>(i / problem.spins), spin = static_cast<int>(i % problem.spins);
    if (i == mine.begin || spin == 0)
      basis = make_basis<S>(problem, problem.kpoints[static_cast<std::size_t>(k)].k, memory);
    bands.push_back(std::make_unique<PlaneWaveBands<S>>(basis, k, spin, eigensolver.kind, &profile, work));
    if (bands.size() > 1) bands.back()->h.follow(bands.front()->basis->fft);
    if (prepare) prepare(*bands.back());
  }
  return bands;
}

#define WAVEGRID_INSTANTIATE(S)                                                                             \
  template std::shared_ptr<KPointBasis<S>> Environment::make_basis<S>(const Problem&, const Vec3&,          \
                                                                      std::shared_ptr<ProjectorMemory<S>>); \
  template MyBands<S> Environment::make_bands<S>(const Problem&, const std::function<void(PlaneWaveBands<S>&)>&);
WAVEGRID_FOR_ALL_SCALARS(WAVEGRID_INSTANTIATE)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
