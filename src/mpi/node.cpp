#include <cstdlib>
#include <optional>

#include <wavegrid/mpi/node.hpp>

namespace wavegrid {

namespace {

struct Node {
  std::optional<Comm> ranks;
};

Comm make_node(const Comm& comm) {
  const Comm node = comm.split_by_memory();
  const char* const setting = std::getenv("WAVEGRID_RANKS_PER_NODE");
  const int ranks = setting ? std::atoi(setting) : 0;
  return ranks < 1 ? node : node.split(node.rank() / ranks, node.rank());
}

}  // namespace

Comm node_comm(const Comm& comm) {
  auto& kept = comm.attached<Node>().ranks;
  if (!kept) kept = make_node(comm.timed(nullptr));  // it may outlive the profile of `comm`
  return *kept;
}

bool spans_nodes(const Comm& comm) { return comm.min(node_comm(comm).size()) < comm.size(); }

std::vector<int> ranks_on_node(const Comm& comm, const std::vector<int>& ranks) {
  const Comm node = node_comm(comm);
  if (ranks.empty()) return {};  // some MPIs refuse its null pointer
  MPI_Group all = MPI_GROUP_NULL, here = MPI_GROUP_NULL;
  MPI_Comm_group(comm.handle(), &all);
  MPI_Comm_group(node.handle(), &here);
  std::vector<int> on_node(ranks.size());
  MPI_Group_translate_ranks(all, static_cast<int>(ranks.size()), ranks.data(), here, on_node.data());
  MPI_Group_free(&all);
  MPI_Group_free(&here);
  return on_node;
}

}  // namespace wavegrid
