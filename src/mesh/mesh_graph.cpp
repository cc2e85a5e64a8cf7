#include <algorithm>
#include <limits>
#include <string>

#include <wavegrid/base/error.hpp>
#include <wavegrid/mesh/mesh_graph.hpp>

namespace wavegrid {

namespace {

/// Finds the vertex of a point: the lines of each column (i, j) are consecutive.
class PointNumbers {
 public:
  PointNumbers(const MeshGrid& grid, const std::vector<MeshLine>& lines) : grid_(grid), lines_(lines) {
    const Index columns = Index{grid.upper()[0] - grid.lower()[0]} * (grid.upper()[1] - grid.lower()[1]);
    column_.assign(static_cast<std::size_t>(columns) + 1, 0);
    for (const MeshLine& line : lines) {
      numbers_.push_back(points_);
      points_ += line.k.size();
      ++column_[static_cast<std::size_t>(column_of(line.i, line.j)) + 1];
    }
    for (std::size_t c = 1; c < column_.size(); ++c) column_[c] += column_[c - 1];
  }

  [[nodiscard]] Index points() const { return points_; }
  /// The vertex of a point, or -1.
  [[nodiscard]] Index find(Int3 point) const {
    for (std::size_t d = 0; d < 3; ++d) {
      if (grid_.periodic()[d]) {
        point[d] %= grid_.counts()[d];
        if (point[d] < 0) point[d] += grid_.counts()[d];
      } else if (point[d] < grid_.lower()[d] || point[d] >= grid_.upper()[d]) {
        return -1;
      }
    }
    const auto column = static_cast<std::size_t>(column_of(point[0], point[1]));
    for (std::size_t l = column_[column]; l < column_[column + 1]; ++l)
      if (lines_[l].k.contains(point[2])) return numbers_[l] + point[2] - lines_[l].k.begin;
    return -1;
  }

 private:
  [[nodiscard]] Index column_of(int i, int j) const {
    return Index{i - grid_.lower()[0]} * (grid_.upper()[1] - grid_.lower()[1]) + (j - grid_.lower()[1]);
  }

  const MeshGrid& grid_;
  const std::vector<MeshLine>& lines_;
  std::vector<Index> numbers_;       ///< the first vertex of each line
  std::vector<std::size_t> column_;  ///< the first line of each column
  Index points_ = 0;
};

}  // namespace

MeshGraph stencil_graph(const MeshGrid& grid, const std::vector<MeshLine>& lines, const StencilPattern& pattern) {
  const PointNumbers numbers(grid, lines);
  if (static_cast<double>(numbers.points()) * static_cast<double>(pattern.num_legs()) >
      static_cast<double>(std::numeric_limits<std::int32_t>::max()))
    throw bad_input("mesh: the graph of " + std::to_string(numbers.points()) + " points with " +
                    std::to_string(pattern.num_legs()) +
                    " neighbours each has more than 2^31 entries, the limit of METIS; use the block partition");
  MeshGraph graph;
  graph.first.reserve(static_cast<std::size_t>(numbers.points()) + 1);
  graph.neighbours.reserve(static_cast<std::size_t>(numbers.points()) * pattern.num_legs());
  std::vector<std::int32_t> found;
  std::int32_t vertex = 0;
  for (const MeshLine& line : lines)
    for (Index k = line.k.begin; k < line.k.end; ++k, ++vertex) {
      found.clear();
      for (const Int3& leg : pattern.legs()) {
        const Index other = numbers.find({line.i + leg[0], line.j + leg[1], static_cast<int>(k) + leg[2]});
        if (other >= 0 && other != vertex) found.push_back(static_cast<std::int32_t>(other));
      }
      std::sort(found.begin(), found.end());
      found.erase(std::unique(found.begin(), found.end()), found.end());
      graph.neighbours.insert(graph.neighbours.end(), found.begin(), found.end());
      graph.first.push_back(static_cast<std::int32_t>(graph.neighbours.size()));
    }
  return graph;
}

int num_components(const MeshGraph& graph) {
  std::vector<bool> seen(static_cast<std::size_t>(graph.num_vertices()), false);
  std::vector<std::int32_t> front;
  int components = 0;
  for (std::int32_t start = 0; start < graph.num_vertices(); ++start) {
    if (seen[static_cast<std::size_t>(start)]) continue;
    ++components;
    seen[static_cast<std::size_t>(start)] = true;
    front.push_back(start);
    while (!front.empty()) {
      const std::int32_t vertex = front.back();
      front.pop_back();
      for (const std::int32_t next : graph.of(vertex))
        if (!seen[static_cast<std::size_t>(next)]) {
          seen[static_cast<std::size_t>(next)] = true;
          front.push_back(next);
        }
    }
  }
  return components;
}

}  // namespace wavegrid
