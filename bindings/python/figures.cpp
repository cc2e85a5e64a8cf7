#include "figures.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <vector>

#include <wavegrid/calculation/choose_discretisation.hpp>
#include <wavegrid/calculation/machine_rates.hpp>
#include <wavegrid/planewaves/local_orbital_rules.hpp>
#include <wavegrid/problem/choose_kpoints.hpp>

#include "problem.hpp"

namespace nb = nanobind;
using namespace wavegrid;

nb::dict machine_rates() {
  const MachineRates rates = measure_rates();
  nb::dict d;
  d["fft"] = rates.fft;
  d["gemm"] = rates.gemm;
  return d;
}

std::optional<double> band_transform_seconds(const nb::dict& settings) {
  return measure_band_transform(problem_from(settings));
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
    for (const KPoint& point : *points) sizes.push_back(rules_for(problem).basis_size(problem, point));
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

void add_eigensolver(nb::dict& d, const Problem& problem) {
  const EigensolverChoice eigensolver = choose_eigensolver(problem, rules_for(problem));
  d["eigensolver"] = to_string(eigensolver.kind);
  d["eigensolver_reason"] = eigensolver.reason;
}

void add_memory(nb::dict& d, const MemoryEstimate& memory) {
  nb::dict parts;
  for (const auto& [name, bytes] : memory.parts) parts[name.c_str()] = static_cast<Index>(bytes);
  d["bytes"] = parts;
  d["earlier_geometries"] = static_cast<Index>(memory.earlier_geometries);
}

void add_sizes(nb::dict& d, const ParallelSizes& sizes) {
  d["kpoint_groups"] = sizes.groups.counts.kpoint_groups;
  d["band_groups"] = sizes.groups.counts.band_groups;
  d["groups_reason"] = sizes.groups.reason;
  d["partition"] = sizes.partition;
  d["partition_reason"] = sizes.partition_reason;
  d["rows"] = sizes.shape.rows;
  d["columns"] = sizes.shape.columns;
  d["plane_waves"] = sizes.plane_waves;
  d["max_plane_waves"] = sizes.max_plane_waves;
  d["min_plane_waves"] = sizes.min_plane_waves;
  d["transform_flops"] = sizes.transform_flops;
  d["transform_messages"] = sizes.transform_messages;
  d["transform_bytes"] = sizes.transform_bytes;
  d["transform_first_messages"] = sizes.transform_first_messages;
  d["transform_first_bytes"] = sizes.transform_first_bytes;
  if (sizes.projectors) d["projectors"] = as_dict(*sizes.projectors);
  if (!sizes.mesh) return;
  d["points"] = sizes.mesh->points;
  d["arms"] = sizes.mesh->legs;
  d["spacing"] = nb::cast(sizes.mesh->spacing);
  d["poisson_grid"] = nb::cast(sizes.mesh->poisson_grid);
}

}  // namespace

nb::dict memory_estimate(const nb::dict& settings, int ranks) {
  const Problem problem = problem_from(settings);
  (void)Xc::parse(problem.xc, problem.spins);
  const DiscretisationRules& rules = rules_for(problem);
  nb::dict d;
  d["kpoints"] = static_cast<Index>(problem.kpoints.size());
  d["kpoints_description"] = problem.kpoints_description;
  d["mode"] = problem.mode == Mode::gamma ? "gamma" : "complex";
  d["electrons"] = count_electrons(problem.crystal, problem.pseudopotentials) - problem.charge;
  add_eigensolver(d, problem);
  add_sizes(d, rules.sizes(problem, ranks));
  add_memory(d, rules.memory(problem, ranks));
  if (problem.local_orbitals) {
    const int groups = nb::cast<int>(d["kpoint_groups"]);
    const LocalOrbitalSizes sizes = local_orbital_sizes(problem, std::max(1, ranks / groups));
    nb::dict orbitals;
    orbitals["functions"] = sizes.functions;
    orbitals["pair_values"] = sizes.pair_values;
    orbitals["wide_points"] = sizes.wide_points;
    orbitals["remote_values"] = sizes.remote_values;
    orbitals["remote_atoms"] = sizes.remote_atoms;
    d["local_orbitals"] = orbitals;
  }
  return d;
}
