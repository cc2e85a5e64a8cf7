// Chooses the numbers of k-point groups and band groups of a calculation by estimated cost.
#pragma once

#include <optional>
#include <string>

#include <wavegrid/costmodel/machine.hpp>
#include <wavegrid/mpi/process_groups.hpp>

namespace wavegrid {

/// The work to be divided in plane waves.
struct GroupWorkload {
  Index kpoints = 1;  ///< k-points times spins
  Index bands = 1;
  const StickCounts& sphere;
  int nx = 1;
  /// Bands that a rank alone with a small sphere transforms together, and the number of single transforms that take as
  /// long; both 1 where it transforms band by band.
  Index block = 1, block_time = 1;
};

/// The work to be divided on a mesh.
struct MeshGroupWorkload {
  Index kpoints = 1;  ///< k-points times spins
  Index bands = 1;
  double points = 1;
  int reach = 4;             ///< of the stencil on each side, points
  double legs = 24;          ///< neighbours of a point in the stencil
  bool real_numbers = true;  ///< of the bands
  /// Exchanges of a band between the k-point group and a band group for one application of the Laplacian to it.
  double moves = 2;
};

/// Numbers that are set in the input; those that are not set are chosen.
struct GroupOptions {
  std::optional<int> kpoint_groups = std::nullopt;
  std::optional<int> band_groups = std::nullopt;
  std::optional<int> grid_ranks = std::nullopt;  ///< ranks per band group
};

/// Numbers of groups and the reason for the choice, as a sentence with the estimated times.
struct GroupChoice {
  GroupCounts counts;
  std::string reason;
};

/// The division of `ranks` with the lowest estimated cost: one backward transform of every band and its share of the
/// linear algebra, for the k-point group with most k-points.
///
/// k-point groups exchange hardly any data, so they are usually the cheapest division if the k-points divide evenly;
/// the remaining ranks form band groups (two exchanges of whole bands, no transposes) or share the grid. Pure, the same
/// on all ranks. Throws bad_input if the options do not fit the ranks; the message states what is valid.
[[nodiscard]] GroupChoice choose_groups(int ranks, const GroupWorkload& work, const GroupOptions& options = {},
                                        const Machine& machine = {});

/// The same on a mesh: one application of the Laplacian to every band, with the ghost points of compact domains
/// (halo_cost.hpp) and, between band groups, exchanges of bands. Pure.
[[nodiscard]] GroupChoice choose_mesh_groups(int ranks, const MeshGroupWorkload& work, const GroupOptions& options = {},
                                             const Machine& machine = {});

}  // namespace wavegrid
