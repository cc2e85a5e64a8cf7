#include "calculation/mesh_calculation.hpp"

#include <algorithm>
#include <numeric>

#include "atoms/extent.hpp"
#include "base/process_memory.hpp"
#include "calculation/initial_density.hpp"
#include "calculation/ion_energy.hpp"
#include "calculation/session_implementation.hpp"
#include "eigen/missed_states.hpp"
#include "ions/cluster.hpp"
#include "ions/ewald_derivatives.hpp"
#include "realspace/mesh_forces.hpp"
#include "realspace/mesh_orbitals.hpp"
#include "scf/choose_preconditioner.hpp"
#include "scf/solve_direct.hpp"
#include "scf/solve_scf.hpp"
#include "terms/local_potential.hpp"

namespace wavegrid {

namespace {

/// The ions of a problem at Cartesian positions, as free charges.
ClusterEnergy free_ions(const Problem& problem) {
  const PointCharges ions = ions_of(problem.crystal, problem.pseudopotentials);
  std::vector<Vec3> positions;
  for (int a = 0; a < problem.crystal.num_atoms(); ++a) positions.push_back(problem.crystal.cartesian(a));
  return cluster_energy(positions, ions.charges);
}

Transport transport_of(const Problem& problem) { return problem.transport.value_or(Transport::pairwise); }

}  // namespace

template <class S>
struct MeshCalculation<S>::KPointBands {
  MeshHamiltonian<S> h;
  KohnShamBands<S> bands;

  KPointBands(const MeshSetting& setting, const Vec3& k, std::shared_ptr<const MeshProjectors<S>> projectors,
              int number, int spin, Eigensolver eigensolver)
      : h(setting, k, std::move(projectors)), bands(number, spin, h, eigensolver) {}
};

template <class S>
MeshCalculation<S>::MeshCalculation(const Comm& comm, const Problem& problem, Trace* trace)
    : problem_(problem),
      profile_(trace),
      groups_(comm.timed(&profile_), {}),
      pseudo_atoms_(solve_pseudo_atoms(problem.pseudopotentials)),
      electrons_(count_electrons(problem.crystal, problem.pseudopotentials) - problem.charge),
      mesh_(groups_.world(), mesh_grid_of(*problem.mesh_basis, problem.crystal, problem.grid),
            problem.mesh_basis->order, {.method = problem.mesh_basis->partition, .allow_disconnected = true}),
      laplacian_(mesh_, transport_of(problem), HaloOverlap::automatic, problem.threads),
      fields_(mesh_, problem.threads, &profile_),
      potential_(
          make_potential(fields_, Xc::parse(problem.xc, problem.spins), problem.crystal, problem.pseudopotentials)),
      eigensolver_(choose_eigensolver(problem)) {
  make_bands();
}

template <class S>
void MeshCalculation<S>::make_bands() {
  const MeshSetting setting{mesh_, laplacian_, &profile_};
  for (std::size_t k = 0; k < problem_.kpoints.size(); ++k) {
    const Vec3& point = problem_.kpoints[k].k;
    const auto projectors = std::make_shared<const MeshProjectors<S>>(
        mesh_, point, problem_.crystal, problem_.pseudopotentials, fields_.box().largest_g());
    for (int spin = 0; spin < problem_.spins; ++spin)
      bands_.push_back(
          std::make_unique<KPointBands>(setting, point, projectors, static_cast<int>(k), spin, eigensolver_.kind));
  }
}

template <class S>
SpinComponents<MeshFields> MeshCalculation<S>::initial_density() {
  MeshBox& box = fields_.box();
  const Crystal placed = box.in_box(problem_.crystal);
  const auto superposed = [&](const std::vector<double>& factors) {
    return box.to_mesh(superposed_density(box.fft().waves(), placed, pseudo_atoms_, factors));
  };
  SpinComponents<MeshFields> density{superposed({})};
  const double found = fields_.integrate([&](std::size_t i) { return density[0][i]; });
  for (double& value : density[0]) value *= electrons_ / found;
  if (problem_.spins == 1) return density;
  if (problem_.initial_magnetic_moments.empty()) {
    density.push_back(density[0]);
    for (double& value : density[1]) value *= problem_.total_magnetisation.value_or(0.0) / electrons_;
    return density;
  }
  std::vector<double> shares;
  for (std::size_t a = 0; a < problem_.crystal.atoms.size(); ++a)
    shares.push_back(
        problem_.initial_magnetic_moments[a] /
        problem_.pseudopotentials[static_cast<std::size_t>(problem_.crystal.atoms[a].species)]->valence_charge());
  density.push_back(superposed(shares));
  return density;
}

template <class S>
ScfOptions MeshCalculation<S>::choose_mixing(const FieldValues& density) {
  ScfOptions options = problem_.scf;
  const PreconditionerKind chosen = !problem_.mesh_basis->periodic
                                        ? PreconditionerKind::none
                                        : choose_preconditioner(fields_, problem_.smearing.kind == SmearingKind::fixed,
                                                                density, smallest_wave_number(problem_.crystal));
  options.mixer.preconditioner.kind = problem_.preconditioner.value_or(chosen);
  options.many_bands = eigensolver_.kind != Eigensolver::lobpcg;
  options.may_change_preconditioner = !problem_.preconditioner && problem_.mesh_basis->periodic;
  return options;
}

template <class S>
std::vector<Vec3> MeshCalculation<S>::ion_forces() const {
  if (!problem_.mesh_basis->periodic) return free_ions(problem_).forces;
  const PointCharges ions = ions_of(problem_.crystal, problem_.pseudopotentials);
  std::vector<Vec3> forces = ewald_derivatives(problem_.crystal.lattice, ions.positions, ions.charges,
                                               groups_.world().rank(), groups_.world().size())
                                 .forces;
  for (Vec3& force : forces) groups_.world().sum(std::span<double>(force));
  return forces;
}

template <class S>
Derivatives MeshCalculation<S>::forces_at(const ScfEnd<MeshFields>& end, Index bands) {
  const int atoms = problem_.crystal.num_atoms();
  const std::vector<Vec3> none(static_cast<std::size_t>(atoms), Vec3{0, 0, 0});
  Forces forces{none, ion_forces(), none, none, none, none};
  MeshBox& box = fields_.box();
  forces.local = local_forces(box, problem_.crystal, problem_.pseudopotentials, end.density[0]);
  const StateTable table{static_cast<Index>(problem_.kpoints.size()), problem_.spins, bands};
  for (const auto& one : bands_) {
    const auto occupations = std::span(end.result.occupations)
                                 .subspan(static_cast<std::size_t>(table.first(one->bands.k, one->bands.spin)),
                                          static_cast<std::size_t>(bands));
    const std::vector<Vec3> found =
        nonlocal_forces<S>(one->h, std::as_const(one->bands.state.x).view(), occupations, atoms);
    for (std::size_t a = 0; a < found.size(); ++a) forces.nonlocal[a] = forces.nonlocal[a] + found[a];
  }
  if (potential_.xc().has_core())
    forces.nlcc = core_forces(box, problem_.crystal, problem_.pseudopotentials,
                              potential_.xc().evaluate(end.density, end.density).potential);
  for (std::size_t a = 0; a < none.size(); ++a) {
    forces.total[a] = forces.ewald[a] + forces.local[a] + forces.nonlocal[a] + forces.nlcc[a];
    forces.net = forces.net + forces.total[a];
  }
  for (Vec3& force : forces.total) force = force - (1.0 / atoms) * forces.net;
  return {std::move(forces), std::nullopt};
}

template <class S>
ScfResult MeshCalculation<S>::run(SpinComponents<MeshFields>& density, Index& bands, const ScfOptions& options,
                                  const ScfListeners<MeshFields>& listeners) {
  BandList<S> list;
  for (const auto& one : bands_) list.push_back(&one->bands);
  std::vector<double> weights;
  for (const KPoint& point : problem_.kpoints) weights.push_back(point.weight);
  const bool periodic = problem_.mesh_basis->periodic;
  const ScfSystem<S, MeshFields> system{
      groups_,
      list,
      fields_,
      potential_,
      {electrons_, problem_.smearing, problem_.spins, problem_.total_magnetisation},
      weights,
      bands,
      periodic ? ewald_of(groups_.world(), problem_) : free_ions(problem_).energy,
      periodic ? local_g0_energy(problem_.crystal, problem_.pseudopotentials, electrons_) : 0.0};
  const BandStart<S> start = [&](KohnShamBands<S>& of) {
    const bool orbitals = problem_.initial_wavefunctions == InitialWavefunctions::lcao;
    return initial_bands<S>(static_cast<MeshHamiltonian<S>&>(of.op), problem_.crystal,
                            orbitals ? pseudo_atoms_ : std::vector<PseudoAtom>(), bands);
  };
  return options.method == ScfMethod::direct ? solve_direct<S, MeshFields>(system, density, start, options, listeners)
                                             : solve_scf<S, MeshFields>(system, density, start, options, listeners);
}

template <class S>
CalculationResult MeshCalculation<S>::solve(const ScfObserver& observer, const ActivityObserver& activity) {
  CalculationResult result;
  SpinComponents<MeshFields> density = initial_density();
  const ScfOptions options = choose_mixing(density[0]);
  result.preconditioner = options.mixer.preconditioner.kind;
  result.bands = problem_.bands;
  ScfListeners<MeshFields> listeners{observer};
  if (problem_.derivatives.forces)
    listeners.ending = [&](const ScfEnd<MeshFields>& end) {
      if (activity) activity({Stage::derivatives});
      result.derivatives = forces_at(end, result.bands);
    };
  result.scf = run(density, result.bands, options, listeners);
  finish(result);
  return result;
}

template <class S>
void MeshCalculation<S>::finish(CalculationResult& result) {
  const Comm& world = groups_.world();
  result.kpoints = problem_.kpoints;
  result.kpoints_description = problem_.kpoints_description;
  result.method = problem_.scf.method;
  result.eigensolver = eigensolver_.kind;
  result.eigensolver_reason = eigensolver_.reason;
  result.mesh = MeshReport{
      mesh_.num_all_points(),        world.max(mesh_.num_points()),     world.min(mesh_.num_points()),
      world.max(mesh_.num_ghosts()), world.max(mesh_.num_neighbours()), mesh_.star().highest_kinetic_energy()};
  ParallelReport& report = result.parallel;
  report.ranks = world.size();
  report.groups_reason = "on a mesh all ranks share the points";
  report.partition_reason = "of the points of a mesh";
  report.transport = world.size() == 1 ? "none" : name_of(transport_of(problem_));
  for (const auto& one : bands_) result.work.h_applications += one->h.applications();
  result.work.nonlocal_applications = result.work.h_applications;
  result.seconds = seconds_of(profile_);
  result.peak_memory = static_cast<double>(world.max(static_cast<Index>(peak_memory())));
}

template class MeshCalculation<double>;
template class MeshCalculation<std::complex<double>>;

}  // namespace wavegrid
