// Which rank owns which point of a mesh: by METIS on the stencil graph, or in blocks. Pure.
#pragma once

#include <string>
#include <vector>

#include <wavegrid/mesh/mesh_graph.hpp>

namespace wavegrid {

enum class MeshPartitionMethod {
  metis,  ///< METIS on the stencil graph: recursive bisection below 8 parts, k-way from 8 on
  block,  ///< the box of the points divided again and again across its longest side
};
[[nodiscard]] const char* to_string(MeshPartitionMethod method);
/// The method of that name; throws bad_input that lists the valid ones.
[[nodiscard]] MeshPartitionMethod mesh_partition_method_named(const std::string& name);

struct MeshPartitionOptions {
  MeshPartitionMethod method = MeshPartitionMethod::metis;
  double imbalance = 1.01;          ///< of METIS: the fullest part over the mean
  bool two_level = true;            ///< the points are divided over the nodes first, and those of a node over its ranks
  bool reorder = true;              ///< without two_level: parts that exchange much are given to ranks of one node
  bool allow_empty = false;         ///< more parts than points are no error
  bool allow_disconnected = false;  ///< a mesh of several pieces that no stencil connects is no error
};

/// The part of each point, points by rising (i, j, k). `part_nodes`: the number of the node of each part, from 0 on
/// (all 0 if there is one). The result does not depend on the machine. Throws bad_input if there are more parts than
/// points or if the points are not connected, unless the options allow it.
[[nodiscard]] std::vector<std::int32_t> partition_mesh(const MeshGrid& grid, const std::vector<MeshLine>& lines,
                                                       const StencilPattern& pattern,
                                                       const std::vector<int>& part_nodes,
                                                       const MeshPartitionOptions& options);

/// The same for METIS where the stencil graph is known already; `graph`: stencil_graph(grid, lines, pattern).
[[nodiscard]] std::vector<std::int32_t> partition_mesh(const MeshGrid& grid, const std::vector<MeshLine>& lines,
                                                       const MeshGraph& graph, const std::vector<int>& part_nodes,
                                                       const MeshPartitionOptions& options);

/// What one part has to do, and what it exchanges: of the partition as given.
struct MeshPartStatistics {
  Index points = 0;
  Index inner = 0;              ///< points whose stencil lies in the part
  Index ghosts = 0;             ///< points of other parts in the stencils of its points
  std::vector<Index> messages;  ///< ghosts of each part that owns some, parts by rising number
  [[nodiscard]] Index neighbours() const { return static_cast<Index>(messages.size()); }
};
struct MeshPartitionStatistics {
  std::vector<MeshPartStatistics> parts;
  Index edge_cut = 0;       ///< edges of the stencil graph between two parts
  Index between_nodes = 0;  ///< ghosts whose owner is on another node
};
[[nodiscard]] MeshPartitionStatistics partition_statistics(const MeshGraph& graph,
                                                           const std::vector<std::int32_t>& part,
                                                           const std::vector<int>& part_nodes);

}  // namespace wavegrid
