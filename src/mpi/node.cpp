#include "mpi/node.hpp"

#include <cstdlib>

namespace wavegrid {

Comm ranks_of_node(const Comm& comm) {
  Comm node = comm.split_by_memory();
  const char* const setting = std::getenv("WAVEGRID_RANKS_PER_NODE");
  const int ranks = setting ? std::atoi(setting) : 0;
  return ranks < 1 ? node : node.split(node.rank() / ranks, node.rank());
}

bool spans_nodes(const Comm& comm) { return comm.min(ranks_of_node(comm).size()) < comm.size(); }

}  // namespace wavegrid
