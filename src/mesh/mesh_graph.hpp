// The graph of a mesh: its points, and an edge where the stencil of one point holds the other.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <wavegrid/mesh/mesh_grid.hpp>
#include <wavegrid/mesh/stencil_pattern.hpp>

namespace wavegrid {

/// An undirected graph in compressed rows, without loops and double edges: the form that METIS reads. Vertex v has the
/// neighbours neighbours[first[v]] .. neighbours[first[v + 1] - 1]. Vertices are the points by rising (i, j, k).
struct MeshGraph {
  std::vector<std::int32_t> first{0};
  std::vector<std::int32_t> neighbours;

  [[nodiscard]] std::int32_t num_vertices() const { return static_cast<std::int32_t>(first.size()) - 1; }
  [[nodiscard]] std::span<const std::int32_t> of(std::int32_t vertex) const {
    const auto v = static_cast<std::size_t>(vertex);
    return std::span(neighbours)
        .subspan(static_cast<std::size_t>(first[v]), static_cast<std::size_t>(first[v + 1] - first[v]));
  }
};

/// The stencil graph of the points in `lines` (grid.lines()). Throws bad_input if it has 2^31 entries or more: the
/// indices of METIS have 32 bits.
[[nodiscard]] MeshGraph stencil_graph(const MeshGrid& grid, const std::vector<MeshLine>& lines,
                                      const StencilPattern& pattern);

/// The number of connected parts of a graph.
[[nodiscard]] int num_components(const MeshGraph& graph);

}  // namespace wavegrid
