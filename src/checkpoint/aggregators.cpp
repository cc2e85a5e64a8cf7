#include "checkpoint/aggregators.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "mpi/node.hpp"

namespace wavegrid {

namespace {

/// The lowest rank on the node of each rank.
std::vector<int> nodes_of(const Comm& comm) {
  int lowest = comm.rank();
  ranks_of_node(comm).broadcast(std::span<int>(&lowest, 1));
  std::vector<int> all(static_cast<std::size_t>(comm.size()));
  MPI_Allgather(&lowest, 1, MPI_INT, all.data(), 1, MPI_INT, comm.handle());
  return all;
}

}  // namespace

std::vector<int> spread_over_nodes(std::span<const int> node_of_rank, int count) {
  std::map<int, int> seen;                       // ranks of each node so far
  std::vector<std::tuple<int, int>> candidates;  // (place on its node, rank)
  for (int rank = 0; rank < static_cast<int>(node_of_rank.size()); ++rank)
    candidates.emplace_back(seen[node_of_rank[static_cast<std::size_t>(rank)]]++, rank);
  std::sort(candidates.begin(), candidates.end());
  std::vector<int> chosen;
  for (int i = 0; i < std::min(count, static_cast<int>(candidates.size())); ++i)
    chosen.push_back(std::get<1>(candidates[static_cast<std::size_t>(i)]));
  return chosen;
}

Aggregators choose_aggregators(const Comm& comm, int wanted) {
  const std::vector<int> nodes = nodes_of(comm);
  if (wanted <= 0) wanted = static_cast<int>(std::set<int>(nodes.begin(), nodes.end()).size());
  const std::vector<int> ranks = spread_over_nodes(nodes, wanted);
  const auto mine = std::find(ranks.begin(), ranks.end(), comm.rank());
  return {static_cast<int>(ranks.size()), mine == ranks.end() ? -1 : static_cast<int>(mine - ranks.begin())};
}

}  // namespace wavegrid
