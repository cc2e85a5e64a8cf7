// The mesh of one geometry with what works on it.
#pragma once

#include "calculation/problem.hpp"
#include "mesh/mesh_operator.hpp"
#include "realspace/mesh_fields.hpp"

namespace wavegrid {

/// The transport of a problem's halo exchanges.
[[nodiscard]] inline Transport mesh_transport_of(const Problem& problem) {
  return problem.transport.value_or(Transport::pairwise);
}

/// Shared by all k-points and spins. Must not be moved.
struct MeshSpace {
  /// Collective over `comm`. The problem is valid and has a mesh_basis.
  MeshSpace(const Comm& comm, const Problem& problem, Profile* profile)
      : mesh(comm, mesh_grid_of(*problem.mesh_basis, problem.crystal, problem.grid), problem.mesh_basis->order,
             {.method = problem.mesh_basis->partition, .allow_disconnected = true}, DifferenceWeights::smallest_error),
        laplacian(mesh, mesh_transport_of(problem), HaloOverlap::automatic, problem.threads),
        fields(mesh, problem.threads, profile) {}
  MeshSpace(const MeshSpace&) = delete;
  MeshSpace& operator=(const MeshSpace&) = delete;

  Mesh mesh;
  MeshOperator laplacian;
  MeshFields fields;
};

}  // namespace wavegrid
