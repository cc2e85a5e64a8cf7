#include <algorithm>
#include <string>

#include <wavegrid/base/error.hpp>
#include <wavegrid/base/printable.hpp>
#include <wavegrid/basis/g_sphere.hpp>
#include <wavegrid/layout/message_statistics.hpp>
#include <wavegrid/planewaves/choose_projectors.hpp>
#include <wavegrid/planewaves/local_orbital_rules.hpp>
#include <wavegrid/planewaves/parallel_layout.hpp>
#include <wavegrid/planewaves/plane_wave_rules.hpp>
#include <wavegrid/problem/free_boundaries.hpp>
#include <wavegrid/scf/single_precision.hpp>
#include <wavegrid/terms/dataset_matrices.hpp>

namespace wavegrid {

namespace {

std::string as_text(const Int3& n) {
  return std::to_string(n[0]) + " x " + std::to_string(n[1]) + " x " + std::to_string(n[2]);
}

/// Refuses a density that does not hold the bands' plane waves, and a grid that does not hold the density.
void require_valid_density_grid(const Problem& problem) {
  const auto& [ecut, grid] = *problem.density_grid;
  if (!(ecut >= problem.ecut))
    throw bad_input("the density's cutoff is " + to_text(ecut) + " Ha, that of the wave functions " +
                    to_text(problem.ecut) + " Ha; valid: at least as much, usually 4 times as much");
  require_valid_grid(grid);
  Int3 least = minimum_grid(problem.crystal.lattice, ecut);
  for (std::size_t i = 0; i < 3; ++i) least[i] = std::max(least[i], problem.grid[i]);
  for (std::size_t i = 0; i < 3; ++i)
    if (grid[i] < least[i])
      throw bad_input("the density's grid " + as_text(grid) + " is too small for its cutoff of " + to_text(ecut) +
                      " Ha or coarser than that of the bands, " + as_text(problem.grid) + "; valid: at least " +
                      as_text(least));
}

}  // namespace

void PlaneWaveRules::require_valid(const Problem& problem) const {
  if (problem.local_orbitals) require_valid_local_orbitals(problem);
  if (problem.projectors == ProjectorSpace::real && has_augmentation(problem.pseudopotentials))
    throw bad_input(
        "an ultrasoft pseudopotential or PAW dataset with projectors on the FFT grid; valid: projectors in reciprocal "
        "space");
  for (const auto* points : {&problem.kpoints, &problem.band_path})
    for (const KPoint& point : *points)
      (void)GSphere(problem.crystal.lattice, problem.ecut, problem.grid, problem.mode, point.k);
  if (problem.density_grid) require_valid_density_grid(problem);
  require_valid_free_waves(problem);
}

GroupChoice PlaneWaveRules::groups(const Problem& problem, int ranks) const {
  return ParallelLayout(problem, ranks).groups;
}

ParallelSizes PlaneWaveRules::sizes(const Problem& problem, int ranks) const {
  const ParallelLayout layout(problem, ranks);
  const GroupCounts groups = layout.groups.counts;
  const int in_band_group = smallest_group(smallest_group(ranks, groups.kpoint_groups), groups.band_groups);
  const PartitionChoice choice = layout.partition(problem, in_band_group);
  const StickCounts& counts = layout.sphere.counts();
  const LoadStatistics load = load_statistics(choice.partition, counts);
  const TransformLoad transform = transform_load(choice.partition, counts, problem.grid[0]);
  const TransposeStatistics first = message_statistics(choice.partition, counts, problem.grid[0]).first;
  return {.groups = layout.groups,
          .partition = to_string(choice.partition.scheme),
          .partition_reason = choice.reason,
          .shape = choice.partition.shape,
          .plane_waves = load.plane_waves,
          .max_plane_waves = load.max,
          .min_plane_waves = load.min,
          .transform_flops = transform.flops,
          .transform_messages = transform.messages,
          .transform_bytes = transform.bytes,
          .transform_first_messages = first.max_messages,
          .transform_first_bytes = first.max_bytes,
          .projectors = choose_projectors(problem),
          .mesh = std::nullopt};
}

EigensolverChoice PlaneWaveRules::automatic_eigensolver(const Problem& problem) const {
  constexpr Index many_bands = 64;  // from here on RMM-DIIS is faster (Si64: 128, Al108: 217 bands)
  if (problem.local_orbitals)
    return {Eigensolver::lobpcg, "not used: the equations of local orbitals are solved exactly"};
  if (problem.initial_wavefunctions == InitialWavefunctions::random)
    return {Eigensolver::lobpcg, "random initial vectors: residual minimisation would converge to the nearest states"};
  if (problem.bands >= many_bands)
    return {Eigensolver::rmm_diis, std::to_string(problem.bands) +
                                       " bands: residual minimisation, whose matrices are no larger, takes least time"};
  return {Eigensolver::lobpcg,
          std::to_string(problem.bands) +
              " bands: too few for residual minimisation to save much, and empty bands come out better by LOBPCG"};
}

Index PlaneWaveRules::basis_size(const Problem& problem, const KPoint& point) const {
  const GSphere sphere(problem.crystal.lattice, problem.ecut, problem.grid, problem.mode, point.k);
  const Index stored = sphere.counts().total();
  return problem.mode == Mode::gamma ? 2 * stored - 1 : stored;
}

bool begins_in_single(const Problem& problem) {
  if (problem.scf.fixed_density) return false;
  if (problem.local_orbitals || problem.scf.method == ScfMethod::direct ||
      problem.precision == Precision::double_only || problem.deterministic || problem.scf.max_steps < 2)
    return false;
  if (problem.precision == Precision::mixed) return true;
  // Mixed precision converged with 324 electrons (Al108) and stagnated above the tolerance with 1500 (Al500).
  constexpr double most_electrons = 500;
  const double electrons = count_electrons(problem.crystal, problem.pseudopotentials);
  return electrons <= most_electrons && problem.scf.energy_tolerance >= single_precision_reach * electrons;
}

}  // namespace wavegrid
