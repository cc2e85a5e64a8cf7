#include <algorithm>
#include <cmath>
#include <complex>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/printable.hpp>
#include <wavegrid/base/units.hpp>
#include <wavegrid/discretisation/extrapolation.hpp>
#include <wavegrid/eigen/band_solver.hpp>
#include <wavegrid/eigen/chebyshev.hpp>
#include <wavegrid/problem/casida_memory.hpp>
#include <wavegrid/problem/free_boundaries.hpp>
#include <wavegrid/propagation/chebyshev_exponential.hpp>
#include <wavegrid/propagation/flow_bytes.hpp>
#include <wavegrid/propagation/implicit_midpoint.hpp>
#include <wavegrid/pseudo/pseudopotential.hpp>
#include <wavegrid/realspace/basis_grid.hpp>
#include <wavegrid/realspace/grouped_hamiltonian.hpp>
#include <wavegrid/realspace/mesh_box.hpp>
#include <wavegrid/realspace/mesh_discretisation.hpp>
#include <wavegrid/realspace/mesh_rules.hpp>
#include <wavegrid/terms/dataset_matrices.hpp>
#include <wavegrid/terms/orbital_combination.hpp>
#include <wavegrid/xc/xc.hpp>

namespace wavegrid {

namespace {

/// Arrays of values at this rank's points that are held at the same time: densities, potentials, their gradients.
constexpr double fields_held = 24;
/// Bands in the order of the stencils: a block, and those to which H is applied twice; without ghost points, the image
/// of a block (mesh_hamiltonian.cpp).
constexpr double bands_in_blocks = 8 + 2 * 32, bands_of_image = 8;
/// Bands whose values and coefficients are held while they become plane waves, with the arrays of the transform.
constexpr double waves_at_once = 24;

/// Bytes of rank 0 while METIS divides the points: the graph, and those that METIS makes of it.
double partition_bytes(const MeshBasis& basis, double points, double legs, int ranks) {
  constexpr double per_leg = 4 + 3 * 8;
  return ranks == 1 || basis.partition != MeshPartitionMethod::metis ? 0.0 : per_leg * legs * points;
}

/// Of all projectors of a number of k-points.
double projector_values(const Problem& problem, const MeshGrid& grid, double points, Index kpoints) {
  constexpr double sphere = 4.0 * 4.0 * 4.0 * 4.19, orbital_sphere = 14.0 * 14.0 * 14.0 * 4.19;  // bohr^3 of an atom
  const auto orbitals = combined_orbitals(problem.pseudopotentials);                             // of shells
  double projectors = 0, functions = 0;
  for (const Atom& atom : problem.crystal.atoms) {
    const auto species = static_cast<std::size_t>(atom.species);
    projectors += num_projectors_per_atom(problem.pseudopotentials[species]->without_hubbard());
    for (const SpeciesOrbital& orbital : orbitals[species]) functions += 2 * orbital.l + 1;
  }
  return (projectors * std::min(sphere / grid.point_volume(), points) +
          functions * std::min(orbital_sphere / grid.point_volume(), 4 * points)) *  // with three moments
         static_cast<double>(kpoints);
}

/// The points of a rank; half of the stencil's reach around them are ghosts.
double with_ghosts(double points, int order) { return points + 6 * 0.5 * order * std::pow(points, 2.0 / 3.0); }

/// Plane waves for each point of a mesh: those of the largest sphere in the box of a cell.
double waves_share(const MeshBasis& basis) { return basis.region == MeshBasis::Region::cell ? units::pi / 6 : 1.0; }

/// Exchanges of a band between band groups for each application of H to it: a filter of degree 8 to 20 exchanges it and
/// its image before and after; other eigensolvers H itself, a change of the potential, and a preconditioner of 4 steps.
double moves_per_application(const Problem& problem) {
  return choose_eigensolver(problem, MeshRules()).kind == Eigensolver::chebyshev ? 0.4 : 1.2;
}

Index num_mesh_points(const MeshGrid& grid) {
  Index points = 0;
  for (const MeshLine& line : grid.lines()) points += line.k.size();
  return points;
}

MeshGrid grid_of(const Problem& problem) { return make_mesh_grid(*problem.mesh_basis, problem.crystal, problem.grid); }

template <class S>
MemoryEstimate memory_of(const Problem& problem, const MeshGrid& grid, double all_points, int ranks) {
  const MeshBasis& basis = *problem.mesh_basis;
  const GroupCounts counts = MeshRules().groups(problem, ranks).counts;
  const int groups = counts.kpoint_groups, in_group = smallest_group(ranks, groups);
  const int in_band_group = smallest_group(in_group, counts.band_groups);
  const double points = all_points / in_band_group;  // on which H works
  const double legs = static_cast<double>(StencilPattern(grid.steps(), basis.order).num_legs());
  const int parts = problem.components();
  const Index rows = static_cast<Index>(all_points / in_group) * parts,
              all_k = static_cast<Index>(problem.kpoints.size());
  const Index sets = ceil_div(all_k * problem.spins, groups), my_kpoints = std::min(all_k, ceil_div(all_k, groups) + 1);
  const auto solver = BandSolver<S>::bytes(choose_eigensolver(problem, MeshRules()).kind, rows, problem.bands, sets, 0);
  // Work arrays of the stencils, which stay.
  const double in_blocks = std::min(bands_in_blocks, 4.0 * static_cast<double>(problem.bands * parts));
  const double blocks = (in_blocks * with_ghosts(points, basis.order) + bands_of_image * points) * sizeof(S);
  // The plane waves of all bands, and those of a block in the box; no band is filtered at that time.
  const double checkpoint =
      problem.checkpoint ? static_cast<double>(sets) * waves_share(basis) * Bands<S>::bytes(rows, problem.bands) +
                               waves_at_once * all_points / in_group * sizeof(S) - solver.filter
                         : 0.0;
  const BandGroupExchange::Rows band_rows{rows, static_cast<Index>(points) * parts,
                                          static_cast<Index>(all_points) * parts};
  const Index block = std::min(Chebyshev<S>::max_block, problem.bands);
  using Grouped = GroupedHamiltonian<S>;
  const bool in_groups = counts.band_groups > 1;
  const double group_arrays = in_groups ? Grouped::passing_bytes(band_rows, block, counts.band_groups) : 0.0;
  const double messages =
      in_groups ? Grouped::exchange_bytes(band_rows, block, counts.band_groups, !problem.transport) : 0.0;
  const bool has_tau = Xc::parse(problem.xc).needs_tau();
  const double components = problem.density_components() * (has_tau ? 2.0 : 1.0);  // of a density
  MemoryEstimate estimate;
  estimate.parts = {{"bands", solver.arrays},
                    {"projectors", projector_values(problem, grid, all_points, groups == 1 ? all_k : my_kpoints) /
                                       in_band_group * sizeof(S)},
                    {"density and potential",
                     (fields_held + 2 * problem.scf.mixer.history) * components * all_points / ranks * sizeof(double)},
                    {"grid of Poisson's equation", MeshBox::bytes(grid, ranks, problem.threads)},
                    {"stencils", points * legs * 0.5 * sizeof(double) + blocks},
                    {"passing", std::max(solver.matrices + group_arrays, checkpoint)}};
  if (problem.propagation)
    estimate.parts.push_back({"propagation", problem.propagation->scheme == TimeScheme::crank_nicolson
                                                 ? midpoint_bytes(rows, problem.bands, sets)
                                                 : ChebyshevExponential::bytes(rows, problem.bands, sets)});
  if (problem.propagation && has_tau)
    estimate.parts.back().bytes += flow_bytes(all_points / ranks, problem.spins, rows, problem.bands);
  if (problem.field_response)
    estimate.parts.push_back(
        {"response", (6.0 * sets + 5.0) * Bands<std::complex<double>>::bytes(rows, problem.bands)});
  if (problem.casida) estimate.parts.push_back({"casida", casida_bytes(problem, all_points / ranks)});
  if (problem.exchange)
    estimate.parts.push_back({"exact exchange", MeshFock<double>::bytes(grid, problem.bands, in_group) +
                                                    2.0 * sets * Bands<S>::bytes(rows, problem.bands)});
  if (in_groups) estimate.parts.push_back({"exchange between band groups", messages});
  estimate.earlier_geometries =
      history_bytes<S>(rows, problem.bands, sets, components * all_points / ranks * sizeof(double));
  const double rest = partition_bytes(basis, all_points, legs, ranks) - estimate.total();
  if (rest > 0) estimate.parts.push_back({"partition of the points, before", rest});
  return estimate;
}

}  // namespace

void MeshRules::require_valid(const Problem& problem) const {
  const auto refuse = [](bool found, const char* what) {
    if (found) throw bad_input(std::string(what) + " is not available on a mesh in real space; valid: plane waves");
  };
  if (problem.derivatives.stress && problem.mesh_basis->num_periodic() == 0)
    throw bad_input("stress is wanted and the boundary is free; valid: a periodic boundary, or no stress");
  refuse(problem.projectors == ProjectorSpace::real, "projectors on the FFT grid");
  refuse(problem.augmentation == AugmentationSpace::boxes, "an augmentation charge in boxes");
  refuse(has_augmentation(problem.pseudopotentials), "an ultrasoft pseudopotential or PAW dataset");
  refuse(problem.density_grid.has_value(), "a grid of the density of its own");
  refuse(problem.deterministic, "a deterministic result");
  refuse(problem.precision == Precision::mixed, "mixed precision");
  if (problem.mesh_basis->num_periodic() == 0 && (!problem.symmetry.is_identity() || problem.follow_symmetry))
    throw bad_input("symmetry is wanted and the boundary is free; valid: a periodic boundary, or no symmetry");
  refuse(problem.shape.has_value(), "a process grid of rows and columns");
  require_fitting_boundary(problem);
  (void)grid_of(problem);
}

GroupChoice MeshRules::groups(const Problem& problem, int ranks) const {
  const MeshGrid grid = grid_of(problem);
  const int order = problem.mesh_basis->order;
  return choose_mesh_groups(ranks,
                            {.kpoints = static_cast<Index>(problem.kpoints.size()) * problem.spins,
                             .bands = problem.bands,
                             .points = static_cast<double>(grid.num_ids()),
                             .reach = order / 2,
                             .legs = static_cast<double>(StencilPattern(grid.steps(), order).num_legs()),
                             .real_numbers = problem.mode == Mode::gamma,
                             .moves = moves_per_application(problem)},
                            problem.groups, problem.machine);
}

ParallelSizes MeshRules::sizes(const Problem& problem, int ranks) const {
  const MeshGrid grid = grid_of(problem);
  const Mat3& steps = grid.steps();
  ParallelSizes sizes;
  sizes.groups = groups(problem, ranks);
  sizes.partition = to_string(problem.mesh_basis->partition);
  sizes.partition_reason = MeshDiscretisation::partition_reason;
  sizes.shape = {1, 1};
  sizes.mesh = {.points = num_mesh_points(grid),
                .legs = static_cast<Index>(StencilPattern(steps, problem.mesh_basis->order).num_legs()),
                .spacing = {norm(steps[0]), norm(steps[1]), norm(steps[2])},
                .poisson_grid = MeshBox::counts_of(grid)};
  return sizes;
}

MemoryEstimate MeshRules::memory(const Problem& problem, int ranks) const {
  const MeshGrid grid = grid_of(problem);
  const auto points = static_cast<double>(num_mesh_points(grid));
  return problem.mode == Mode::gamma ? memory_of<double>(problem, grid, points, ranks)
                                     : memory_of<std::complex<double>>(problem, grid, points, ranks);
}

EigensolverChoice MeshRules::automatic_eigensolver(const Problem& problem) const {
  Mat3 steps = problem.crystal.lattice.vectors();
  for (std::size_t d = 0; d < 3; ++d) steps[d] = (1.0 / problem.grid[d]) * steps[d];
  const StencilPattern pattern(steps, problem.mesh_basis->order, DifferenceWeights::smallest_error);
  return {Eigensolver::chebyshev, "a mesh, with kinetic energies up to " +
                                      std::to_string(std::lround(pattern.highest_kinetic_energy())) +
                                      " Ha: filtering takes products with H only, and no preconditioner is cheap "
                                      "there"};
}

Index MeshRules::basis_size(const Problem& problem, const KPoint& /*point*/) const {
  return num_mesh_points(grid_of(problem));
}

Int3 MeshRules::field_grid(const Problem& problem) const { return MeshBox::counts_of(grid_of(problem)); }

}  // namespace wavegrid
