// The mesh of one geometry with what works on it.
#pragma once

#include <complex>
#include <memory>
#include <optional>

#include <wavegrid/exchange/band_group_exchange.hpp>
#include <wavegrid/mesh/mesh_operator.hpp>
#include <wavegrid/mpi/process_groups.hpp>
#include <wavegrid/problem/problem.hpp>
#include <wavegrid/realspace/basis_grid.hpp>
#include <wavegrid/realspace/mesh_fields.hpp>

namespace wavegrid {

/// The indices of the points of one component, below `dimension`, for the rows of all components. Pure.
[[nodiscard]] inline IndexList rows_of_components(const IndexList& points, Index dimension, int components) {
  IndexList rows;
  for (int component = 0; component < components; ++component)
    for (const StridedRun run : points.runs())
      rows.append_strided({component * dimension + run.start, run.length, run.count, run.stride});
  return rows;
}

/// Shared by all k-points and spins. Must not be moved.
struct MeshSpace {
  /// Collective over the world. The problem is valid and has a mesh_basis. `halo`: of the operators.
  MeshSpace(const ProcessGroups& groups, const Problem& problem, const HaloOptions& halo, Profile* profile)
      : mesh(groups.world(), make_mesh_grid(*problem.mesh_basis, problem.crystal, problem.grid),
             problem.mesh_basis->order, options_of(problem), DifferenceWeights::smallest_error),
        group_mesh(groups.counts().kpoint_groups == 1
                       ? nullptr
                       : std::make_unique<Mesh>(groups.kpoint_group(), mesh.grid(), problem.mesh_basis->order,
                                                options_of(problem), DifferenceWeights::smallest_error)),
        band_group_mesh(groups.counts().band_groups == 1
                            ? nullptr
                            : std::make_unique<Mesh>(groups.band_group(), mesh.grid(), problem.mesh_basis->order,
                                                     options_of(problem), DifferenceWeights::smallest_error)),
        laplacian(operator_mesh(), halo, problem.threads),
        fields(mesh, operator_mesh(), problem.threads, profile, problem.transport) {
    if (band_group_mesh) {
      const Index ids = mesh.grid().num_ids();
      const auto rows = [&](const Mesh& of) { return rows_of_components(of.ids(), ids, problem.components()); };
      exchange.emplace(groups, rows(band_mesh()), rows(operator_mesh()), ids * problem.components(), problem.transport,
                       problem.mode == Mode::gamma ? sizeof(double) : sizeof(std::complex<double>), problem.threads);
      exchange->plan().record(profile, TrafficKind::bands, groups.world());
    }
    fields.set_symmetry(problem.symmetry);
  }
  MeshSpace(const MeshSpace&) = delete;
  MeshSpace& operator=(const MeshSpace&) = delete;

  /// The points over the k-point group: the rows of bands.
  [[nodiscard]] const Mesh& band_mesh() const { return group_mesh ? *group_mesh : mesh; }
  /// The points over the band group: those on which Hamiltonians work.
  [[nodiscard]] const Mesh& operator_mesh() const { return band_group_mesh ? *band_group_mesh : band_mesh(); }
  [[nodiscard]] static MeshPartitionOptions options_of(const Problem& problem) {
    const MeshBasis& basis = *problem.mesh_basis;
    return {.method = basis.partition,
            .two_level = basis.two_level,
            .reorder = basis.reorder,
            .allow_disconnected = true};  // atoms may move apart
  }

  Mesh mesh;                              ///< over all ranks: of densities and potentials
  std::unique_ptr<Mesh> group_mesh;       ///< the same points over the k-point group; none if that has all ranks
  std::unique_ptr<Mesh> band_group_mesh;  ///< the same points over the band group; none if that is the k-point group
  std::optional<BandGroupExchange> exchange;  ///< between the last two, with band groups
  MeshOperator laplacian;
  MeshFields fields;
};

}  // namespace wavegrid
