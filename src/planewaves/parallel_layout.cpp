#include <wavegrid/fft/band_lanes_fft.hpp>
#include <wavegrid/planewaves/parallel_layout.hpp>

namespace wavegrid {

namespace {

constexpr Index bands_in_lanes = 8;       ///< of a vector of AVX-512 in double precision
constexpr Index transforms_of_lanes = 3;  ///< that take as long (boxes of 15^3 to 48^3)

}  // namespace

ParallelLayout::ParallelLayout(const Problem& problem, int ranks)
    : sphere(problem.crystal.lattice, problem.ecut, problem.grid, problem.mode, problem.kpoints.front().k) {
  GroupOptions options = problem.groups;
  if (problem.shape) options.grid_ranks = problem.shape->rows * problem.shape->columns;
  if (problem.deterministic && !problem.shape) {  // more groups on more ranks would change the order of sums
    options.kpoint_groups = options.kpoint_groups.value_or(1);
    options.band_groups = options.band_groups.value_or(1);
  }
  const bool lanes = !problem.deterministic && BandLanesFft<double>::handles(problem.grid);
  groups = choose_groups(ranks,
                         {static_cast<Index>(problem.kpoints.size()) * problem.spins, problem.bands, sphere.counts(),
                          problem.grid[0], lanes ? bands_in_lanes : 1, lanes ? transforms_of_lanes : 1},
                         options, problem.machine);
  if (problem.deterministic && !problem.groups.kpoint_groups && !problem.groups.band_groups && !problem.shape &&
      ranks > 1)
    groups.reason = "deterministic: one group, because the input sets no number";
}

PartitionChoice ParallelLayout::partition(const Problem& problem, int ranks) const {
  if (!problem.shape) return choose_partition(problem.scheme, sphere.counts(), problem.grid[0], ranks, problem.machine);
  const Scheme scheme = problem.scheme.value_or(problem.shape->rows == 1 ? Scheme::greedy : Scheme::optimized);
  return {make_partition(scheme, sphere.counts(), *problem.shape, ranks), "set in the input"};
}

}  // namespace wavegrid
