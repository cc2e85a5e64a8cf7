#include <metis.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include <wavegrid/base/error.hpp>
#include <wavegrid/mesh/mesh_partition.hpp>

namespace wavegrid {

namespace {

using Parts = std::vector<std::int32_t>;
static_assert(std::is_same_v<idx_t, std::int32_t>, "METIS has to be built with 32-bit indices");

/// Part of each vertex, by METIS. `shares`: the fraction of the points that each part gets.
Parts metis_parts(const MeshGraph& graph, const std::vector<real_t>& shares, double imbalance) {
  auto parts = static_cast<idx_t>(shares.size());
  Parts part(static_cast<std::size_t>(graph.num_vertices()), 0);
  if (parts == 1 || part.empty()) return part;
  std::array<idx_t, METIS_NOPTIONS> options{};
  METIS_SetDefaultOptions(options.data());
  options[METIS_OPTION_SEED] = 1;
  options[METIS_OPTION_UFACTOR] = std::max<idx_t>(1, static_cast<idx_t>(std::lround(1000 * (imbalance - 1))));
  idx_t vertices = graph.num_vertices(), constraints = 1, cut = 0;
  auto* first = const_cast<idx_t*>(graph.first.data());  // METIS does not write to its input
  auto* neighbours = const_cast<idx_t*>(graph.neighbours.data());
  auto* targets = const_cast<real_t*>(shares.data());
  const auto divide = parts < 8 ? METIS_PartGraphRecursive : METIS_PartGraphKway;
  const int status = divide(&vertices, &constraints, first, neighbours, nullptr, nullptr, nullptr, &parts, targets,
                            nullptr, options.data(), &cut, part.data());
  if (status != METIS_OK)
    throw internal_error("METIS could not divide a mesh of " + std::to_string(vertices) + " points into " +
                         std::to_string(parts) + " parts (status " + std::to_string(status) + ")");
  return part;
}

/// The points that `chosen` lists (rising) and the edges between them.
MeshGraph subgraph(const MeshGraph& graph, const Parts& chosen) {
  Parts number(static_cast<std::size_t>(graph.num_vertices()), -1);
  for (std::size_t n = 0; n < chosen.size(); ++n)
    number[static_cast<std::size_t>(chosen[n])] = static_cast<std::int32_t>(n);
  MeshGraph sub;
  for (const std::int32_t vertex : chosen) {
    for (const std::int32_t other : graph.of(vertex))
      if (number[static_cast<std::size_t>(other)] >= 0)
        sub.neighbours.push_back(number[static_cast<std::size_t>(other)]);
    sub.first.push_back(static_cast<std::int32_t>(sub.neighbours.size()));
  }
  return sub;
}

std::vector<real_t> equal_shares(std::size_t parts) {
  return std::vector<real_t>(parts, static_cast<real_t>(1.0 / static_cast<double>(parts)));
}

/// The parts of each node, in rising order.
std::vector<std::vector<int>> node_parts(const std::vector<int>& part_nodes) {
  std::map<int, std::vector<int>> nodes;
  for (std::size_t p = 0; p < part_nodes.size(); ++p) nodes[part_nodes[p]].push_back(static_cast<int>(p));
  std::vector<std::vector<int>> out;
  for (auto& [node, parts] : nodes) out.push_back(std::move(parts));
  return out;
}

Parts two_level_parts(const MeshGraph& graph, const std::vector<std::vector<int>>& nodes, double imbalance) {
  std::size_t all = 0;
  for (const auto& node : nodes) all += node.size();
  std::vector<real_t> shares;
  for (const auto& node : nodes)
    shares.push_back(static_cast<real_t>(static_cast<double>(node.size()) / static_cast<double>(all)));
  const Parts node_of = metis_parts(graph, shares, imbalance);
  std::vector<Parts> members(nodes.size());
  for (std::size_t v = 0; v < node_of.size(); ++v)
    members[static_cast<std::size_t>(node_of[v])].push_back(static_cast<std::int32_t>(v));
  Parts part(node_of.size());
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const Parts inside = metis_parts(subgraph(graph, members[n]), equal_shares(nodes[n].size()), imbalance);
    for (std::size_t m = 0; m < inside.size(); ++m)
      part[static_cast<std::size_t>(members[n][m])] = nodes[n][static_cast<std::size_t>(inside[m])];
  }
  return part;
}

/// The points [first, last) of `points` are divided over the parts [begin, end): across the longest side of their box.
void bisect(std::vector<std::pair<Int3, std::int32_t>>& points, std::size_t first, std::size_t last, int begin, int end,
            const Mat3& steps, Parts& part) {
  if (end - begin <= 1) {
    for (std::size_t n = first; n < last; ++n) part[static_cast<std::size_t>(points[n].second)] = begin;
    return;
  }
  std::size_t longest = 0;
  double length = -1;
  for (std::size_t d = 0; d < 3 && first < last; ++d) {
    const auto [low, high] = std::minmax_element(points.begin() + static_cast<std::ptrdiff_t>(first),
                                                 points.begin() + static_cast<std::ptrdiff_t>(last),
                                                 [d](const auto& a, const auto& b) { return a.first[d] < b.first[d]; });
    const double side = (high->first[d] - low->first[d] + 1) * norm(steps[d]);
    if (side > length * (1 + 1e-9)) longest = d, length = side;
  }
  const int middle = begin + (end - begin) / 2;
  const auto before =
      static_cast<std::size_t>(ceil_div(static_cast<Index>(last - first) * (middle - begin), end - begin));
  const auto at = [&](std::size_t n) { return points.begin() + static_cast<std::ptrdiff_t>(n); };
  std::nth_element(at(first), at(first + before), at(last), [longest](const auto& a, const auto& b) {
    if (a.first[longest] != b.first[longest]) return a.first[longest] < b.first[longest];
    return a.first < b.first;
  });
  bisect(points, first, first + before, begin, middle, steps, part);
  bisect(points, first + before, last, middle, end, steps, part);
}

Parts block_parts(const MeshGrid& grid, const std::vector<MeshLine>& lines, int parts) {
  std::vector<std::pair<Int3, std::int32_t>> points;
  for (const MeshLine& line : lines)
    for (Index k = line.k.begin; k < line.k.end; ++k)
      points.push_back({{line.i, line.j, static_cast<int>(k)}, static_cast<std::int32_t>(points.size())});
  Parts part(points.size());
  bisect(points, 0, points.size(), 0, parts, grid.steps(), part);
  return part;
}

/// Ghosts of each part by their owner.
std::vector<std::map<int, Index>> ghosts_by_owner(const MeshGraph& graph, const Parts& part, std::size_t parts) {
  std::vector<std::map<int, Index>> ghosts(parts);
  std::vector<std::int32_t> users;
  for (std::int32_t v = 0; v < graph.num_vertices(); ++v) {
    users.clear();
    const std::int32_t owner = part[static_cast<std::size_t>(v)];
    for (const std::int32_t other : graph.of(v)) {
      const std::int32_t user = part[static_cast<std::size_t>(other)];
      if (user != owner && std::find(users.begin(), users.end(), user) == users.end()) users.push_back(user);
    }
    for (const std::int32_t user : users) ++ghosts[static_cast<std::size_t>(user)][owner];
  }
  return ghosts;
}

/// Renumbers the parts so that fewer ghosts come from other nodes: exchanges pairs of parts as long as that helps.
void place_on_nodes(const MeshGraph& graph, const std::vector<int>& part_nodes, Parts& part) {
  const std::size_t parts = part_nodes.size();
  std::vector<std::map<int, Index>> volume(parts);
  const auto ghosts = ghosts_by_owner(graph, part, parts);
  for (std::size_t p = 0; p < parts; ++p)
    for (const auto& [owner, points] : ghosts[p]) {
      volume[p][owner] += points;
      volume[static_cast<std::size_t>(owner)][static_cast<int>(p)] += points;
    }
  std::vector<int> place(parts);  // the new number of each part
  std::iota(place.begin(), place.end(), 0);
  const auto node_at = [&](std::size_t p) { return part_nodes[static_cast<std::size_t>(place[p])]; };
  // Ghosts between part p and other nodes if p were on `node`, without those that it shares with q.
  const auto cost = [&](std::size_t p, int node, std::size_t q) {
    Index sum = 0;
    for (const auto& [other, points] : volume[p])
      if (static_cast<std::size_t>(other) != q && node_at(static_cast<std::size_t>(other)) != node) sum += points;
    return sum;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t p = 0; p < parts; ++p)
      for (std::size_t q = p + 1; q < parts; ++q) {
        const int here = node_at(p), there = node_at(q);
        if (here == there || cost(p, there, q) + cost(q, here, p) >= cost(p, here, q) + cost(q, there, p)) continue;
        std::swap(place[p], place[q]);
        changed = true;
      }
  }
  for (std::int32_t& p : part) p = place[static_cast<std::size_t>(p)];
}

/// Only spheres can be apart.
bool may_fall_apart(const MeshGrid& grid, const MeshPartitionOptions& options) {
  return !options.allow_disconnected && grid.region().centres.size() > 1;
}

}  // namespace

const char* to_string(MeshPartitionMethod method) { return method == MeshPartitionMethod::metis ? "metis" : "block"; }

MeshPartitionMethod mesh_partition_method_named(const std::string& name) {
  for (const MeshPartitionMethod method : {MeshPartitionMethod::metis, MeshPartitionMethod::block})
    if (name == to_string(method)) return method;
  throw bad_input("unknown partition \"" + name + "\" of a mesh; valid: metis, block");
}

std::vector<std::int32_t> partition_mesh(const MeshGrid& grid, const std::vector<MeshLine>& lines,
                                         const StencilPattern& pattern, const std::vector<int>& part_nodes,
                                         const MeshPartitionOptions& options) {
  const bool needs_graph =
      (options.method == MeshPartitionMethod::metis && part_nodes.size() > 1) || may_fall_apart(grid, options);
  return partition_mesh(grid, lines, needs_graph ? stencil_graph(grid, lines, pattern) : MeshGraph(), part_nodes,
                        options);
}

std::vector<std::int32_t> partition_mesh(const MeshGrid& grid, const std::vector<MeshLine>& lines,
                                         const MeshGraph& graph, const std::vector<int>& part_nodes,
                                         const MeshPartitionOptions& options) {
  Index points = 0;
  for (const MeshLine& line : lines) points += line.k.size();
  const auto parts = static_cast<Index>(part_nodes.size());
  if (parts > points && !options.allow_empty)
    throw bad_input("the mesh has " + std::to_string(points) + " points, fewer than its " + std::to_string(parts) +
                    " parts; use at most " + std::to_string(points) + " ranks or a smaller spacing");
  if (may_fall_apart(grid, options))
    if (const int components = num_components(graph); components > 1)
      throw bad_input("the mesh falls into " + std::to_string(components) +
                      " pieces that no finite difference connects; increase the radius so that the pieces touch, or "
                      "compute them one by one");
  if (options.method == MeshPartitionMethod::block || parts > points || parts == 1)
    return block_parts(grid, lines, static_cast<int>(parts));
  const auto nodes = node_parts(part_nodes);
  if (nodes.size() > 1 && options.two_level) return two_level_parts(graph, nodes, options.imbalance);
  Parts part = metis_parts(graph, equal_shares(part_nodes.size()), options.imbalance);
  if (nodes.size() > 1 && options.reorder) place_on_nodes(graph, part_nodes, part);
  return part;
}

MeshPartitionStatistics partition_statistics(const MeshGraph& graph, const std::vector<std::int32_t>& part,
                                             const std::vector<int>& part_nodes) {
  MeshPartitionStatistics statistics;
  statistics.parts.resize(part_nodes.size());
  for (std::int32_t v = 0; v < graph.num_vertices(); ++v) {
    const std::int32_t owner = part[static_cast<std::size_t>(v)];
    const auto others = graph.of(v);
    const Index cut = std::count_if(others.begin(), others.end(),
                                    [&](std::int32_t other) { return part[static_cast<std::size_t>(other)] != owner; });
    MeshPartStatistics& mine = statistics.parts[static_cast<std::size_t>(owner)];
    ++mine.points;
    if (cut == 0) ++mine.inner;
    statistics.edge_cut += cut;
  }
  statistics.edge_cut /= 2;
  const auto ghosts = ghosts_by_owner(graph, part, part_nodes.size());
  for (std::size_t p = 0; p < ghosts.size(); ++p)
    for (const auto& [owner, points] : ghosts[p]) {
      statistics.parts[p].ghosts += points;
      statistics.parts[p].messages.push_back(points);
      if (part_nodes[static_cast<std::size_t>(owner)] != part_nodes[p]) statistics.between_nodes += points;
    }
  return statistics;
}

}  // namespace wavegrid
