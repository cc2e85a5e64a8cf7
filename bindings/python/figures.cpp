#include "figures.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <vector>

#include "calculation/choose_eigensolver.hpp"
#include "calculation/choose_kpoints.hpp"
#include "calculation/machine_rates.hpp"
#include "calculation/memory_estimate.hpp"
#include "calculation/mesh_sizes.hpp"
#include "calculation/parallel_layout.hpp"
#include "layout/message_statistics.hpp"
#include "layout/partition.hpp"
#include "problem.hpp"
#include "realspace/mesh_box.hpp"

namespace nb = nanobind;
using namespace wavegrid;

namespace {

/// The number of independent functions in the sphere of a k-point.
Index basis_size(const Problem& problem, const KPoint& point) {
  if (problem.mesh_basis) return num_mesh_points(problem);
  const GSphere sphere(problem.crystal.lattice, problem.ecut, problem.grid, problem.mode, point.k);
  const Index stored = sphere.counts().total();
  return problem.mode == Mode::gamma ? 2 * stored - 1 : stored;
}

}  // namespace

nb::dict machine_rates() {
  const MachineRates rates = measure_rates();
  nb::dict d;
  d["fft"] = rates.fft;
  d["gemm"] = rates.gemm;
  return d;
}

std::optional<std::tuple<int, int, double>> closest_pair(const nb::dict& settings, double below,
                                                         const std::vector<double>& sizes) {
  const auto pair = closest_pair_within(crystal_from(settings), below, sizes);
  if (!pair) return std::nullopt;
  return std::tuple{pair->first, pair->second, pair->distance};
}

nb::dict describe(const nb::dict& settings) {
  const Problem problem = problem_from(settings);
  require_valid(problem);
  std::vector<Index> sizes;
  for (const auto* points : {&problem.kpoints, &problem.band_path})
    for (const KPoint& point : *points) sizes.push_back(basis_size(problem, point));
  const auto [least, most] = std::minmax_element(sizes.begin(), sizes.end());
  nb::list kpoints;
  for (const auto& [k, weight] : problem.kpoints)
    kpoints.append(nb::cast(std::array<double, 4>{k[0], k[1], k[2], weight}));
  nb::dict d;
  d["kpoints"] = kpoints;
  d["description"] = problem.kpoints_description;
  d["mode"] = problem.mode == Mode::gamma ? "gamma" : "complex";
  d["basis_sizes"] = nb::cast(std::array<Index, 2>{*least, *most});
  return d;
}

int lost_rotations(const nb::dict& settings, const Int3& mesh, const Vec3& shift) {
  const auto moments = nb::cast<std::vector<double>>(settings["initial_magnetic_moments"]);
  return count_lost_rotations(crystal_from(settings), moments, {mesh, shift});
}

bool list_has_whole_stars(const nb::dict& settings, const std::vector<std::array<double, 4>>& list) {
  const auto moments = nb::cast<std::vector<double>>(settings["initial_magnetic_moments"]);
  std::vector<KPoint> points;
  for (const auto& [x, y, z, weight] : list) points.push_back({{x, y, z}, weight});
  return has_whole_stars(crystal_from(settings), moments, points);
}

Int3 symmetric_grid_of(const nb::dict& settings, const Int3& least) {
  const auto moments = nb::cast<std::vector<double>>(settings["initial_magnetic_moments"]);
  return grid_for_symmetry(crystal_from(settings), moments, least);
}

namespace {

/// The figures of memory_estimate() that all discretisations have.
nb::dict common_figures(const Problem& problem) {
  nb::dict d;
  d["kpoints"] = static_cast<Index>(problem.kpoints.size());
  d["kpoints_description"] = problem.kpoints_description;
  d["mode"] = problem.mode == Mode::gamma ? "gamma" : "complex";
  d["electrons"] = count_electrons(problem.crystal, problem.pseudopotentials) - problem.charge;
  const EigensolverChoice eigensolver = choose_eigensolver(problem);
  d["eigensolver"] = name_of(eigensolver.kind);
  d["eigensolver_reason"] = eigensolver.reason;
  return d;
}

void add_memory(nb::dict& d, const MemoryEstimate& memory) {
  nb::dict parts;
  for (const auto& [name, bytes] : memory.parts) parts[name.c_str()] = static_cast<Index>(bytes);
  d["bytes"] = parts;
  d["earlier_geometries"] = static_cast<Index>(memory.earlier_geometries);
}

/// The figures of memory_estimate() on a mesh.
nb::dict mesh_figures(const Problem& problem, int ranks) {
  const MeshGrid grid = mesh_grid_of(*problem.mesh_basis, problem.crystal, problem.grid);
  const MeshSizes sizes = mesh_sizes(problem, ranks);
  nb::dict d = common_figures(problem);
  add_memory(d, sizes.memory);
  const GroupChoice groups = mesh_groups(problem, ranks);
  d["kpoint_groups"] = groups.counts.kpoint_groups;
  d["band_groups"] = groups.counts.band_groups;
  for (const char* side : {"rows", "columns"}) d[side] = 1;
  d["groups_reason"] = groups.reason;
  d["partition"] = name_of(problem.mesh_basis->partition);
  d["partition_reason"] = "of the points of a mesh";
  for (const char* of_waves :
       {"plane_waves", "max_plane_waves", "min_plane_waves", "transform_flops", "transform_messages", "transform_bytes",
        "transform_first_messages", "transform_first_bytes"})
    d[of_waves] = 0;
  d["points"] = sizes.points;
  d["arms"] = Star(grid.steps(), problem.mesh_basis->order).num_arms();
  d["spacing"] = nb::cast(std::array<double, 3>{norm(grid.steps()[0]), norm(grid.steps()[1]), norm(grid.steps()[2])});
  d["poisson_grid"] = nb::cast(MeshBox::counts_of(grid));
  return d;
}

}  // namespace

nb::dict memory_estimate(const nb::dict& settings, int ranks) {
  const Problem problem = problem_from(settings);
  (void)Xc::parse(problem.xc, problem.spins);
  if (problem.mesh_basis) return mesh_figures(problem, ranks);
  const ParallelLayout layout(problem, ranks);
  const GroupCounts groups = layout.groups.counts;
  const int in_band_group = smallest_group(smallest_group(ranks, groups.kpoint_groups), groups.band_groups);
  const PartitionChoice choice = layout.partition(problem, in_band_group);
  const LoadStatistics load = load_statistics(choice.partition, layout.sphere.counts());
  nb::dict d = common_figures(problem);
  const MemoryEstimate memory = estimate_memory(problem, ranks);
  add_memory(d, memory);
  d["projectors"] = as_dict(memory.projectors);
  d["kpoint_groups"] = groups.kpoint_groups;
  d["band_groups"] = groups.band_groups;
  d["groups_reason"] = layout.groups.reason;
  d["partition"] = name_of(choice.partition.scheme);
  d["partition_reason"] = choice.reason;
  d["rows"] = choice.partition.shape.rows;
  d["columns"] = choice.partition.shape.columns;
  d["plane_waves"] = load.plane_waves;
  const TransformLoad transform = transform_load(choice.partition, layout.sphere.counts(), problem.grid[0]);
  d["transform_flops"] = transform.flops;
  d["transform_messages"] = transform.messages;
  d["transform_bytes"] = transform.bytes;
  const TransposeStatistics first = message_statistics(choice.partition, layout.sphere.counts(), problem.grid[0]).first;
  d["transform_first_messages"] = first.max_messages;
  d["transform_first_bytes"] = first.max_bytes;
  d["max_plane_waves"] = load.max;
  d["min_plane_waves"] = load.min;
  return d;
}
