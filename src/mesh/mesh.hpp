// The points and ghost points of one rank of a distributed mesh.
#pragma once

#include <vector>

#include <wavegrid/exchange/directory.hpp>
#include <wavegrid/mesh/mesh_grid.hpp>
#include <wavegrid/mesh/mesh_partition.hpp>
#include <wavegrid/mesh/stencil_pattern.hpp>
#include <wavegrid/mpi/comm.hpp>

namespace wavegrid {

/// Consecutive points of a rank: local point start + n is the point (i, j, k.begin + n) of the mesh.
struct LocalLine {
  int i = 0, j = 0;
  Range k;
  Index start = 0;

  [[nodiscard]] Int3 point(Index n) const { return {i, j, static_cast<int>(k.begin + n)}; }
};

/// A mesh distributed over the ranks of a communicator.
///
/// Local points 0 <= p < num_points() belong to this rank; ghost points num_points() <= p < num_points() + num_ghosts()
/// are the points of other ranks, and the periodic images of any rank's points, that the stencils of its own points
/// hold. An image is a ghost point of its own, also if the rank owns the point itself: Bloch functions have another
/// phase there. Neither kind has an order to rely on; lines() and ghost_lines() list them.
///
/// Rank 0 alone holds one number for each point while it makes the partition; afterwards the memory of a rank is
/// proportional to its own lines, ghosts and neighbours.
class Mesh {
 public:
  /// Collective over `comm`. Throws bad_input on all ranks if the region is empty, or as partition_mesh() does.
  Mesh(const Comm& comm, const MeshGrid& grid, int order, const MeshPartitionOptions& options = {},
       DifferenceWeights weights = DifferenceWeights::highest_order);

  [[nodiscard]] const Comm& comm() const { return comm_; }
  [[nodiscard]] const MeshGrid& grid() const { return grid_; }
  [[nodiscard]] const StencilPattern& pattern() const { return pattern_; }

  // of this rank
  [[nodiscard]] Index num_points() const { return num_points_; }  ///< may be 0
  [[nodiscard]] Index num_ghosts() const { return num_ghosts_; }
  /// The points, by rising start; together they are all local points.
  [[nodiscard]] const std::vector<LocalLine>& lines() const { return lines_; }
  /// The ghost points in the same form. Their (i, j, k) lie outside the cell where they are periodic images;
  /// grid().shift_of() is the same for all points of a line.
  [[nodiscard]] const std::vector<LocalLine>& ghost_lines() const { return ghost_lines_; }
  /// (i, j, k) of all local points.
  [[nodiscard]] std::vector<Int3> points() const;
  /// The ids (MeshGrid::id) of the local points, in local order: this rank's side of a mapping to another layout.
  [[nodiscard]] const IndexList& ids() const { return ids_; }
  /// What has to be sent and received to fill the ghost points; elements of both sides are local and ghost points.
  [[nodiscard]] const MatchedRuns& halo_runs() const { return halo_runs_; }
  /// Ranks that own ghost points of this rank, itself not counted.
  [[nodiscard]] Index num_neighbours() const;

  // of all ranks
  [[nodiscard]] Index num_all_points() const { return num_all_points_; }

 private:
  void order_lines(const std::vector<MeshLine>& mine);
  void find_ghosts();

  Comm comm_;
  MeshGrid grid_;
  StencilPattern pattern_;
  Index num_points_ = 0, num_ghosts_ = 0, num_all_points_ = 0;
  std::vector<LocalLine> lines_, ghost_lines_;
  IndexList ids_;
  MatchedRuns halo_runs_;
};

}  // namespace wavegrid
