#include <algorithm>

#include <wavegrid/checkpoint/aggregators.hpp>
#include <wavegrid/mpi/node.hpp>

namespace wavegrid {

namespace {

/// Ranks below this one for which `counts` is 1, and all of them. Collective.
struct Place {
  int before = 0, all = 0;
  Place(const Comm& comm, int counts) : all(static_cast<int>(comm.sum(Index{counts}))) {
    MPI_Exscan(&counts, &before, 1, MPI_INT, MPI_SUM, comm.handle());
    if (comm.rank() == 0) before = 0;  // MPI leaves it undefined there
  }
};

}  // namespace

Aggregators choose_aggregators(const Comm& comm, int wanted) {
  // First the first rank of each node, then the second one of each, and so on: a sum for each of these rounds, and no
  // list of all ranks.
  const int on_node = node_comm(comm).rank();
  Aggregators chosen{0, -1};
  for (int round = 0; round == 0 || chosen.count < std::min(wanted, comm.size()); ++round) {
    const Place place(comm, on_node == round ? 1 : 0);
    if (round == 0 && wanted <= 0) wanted = place.all;
    if (const int number = chosen.count + place.before; on_node == round && number < wanted) chosen.mine = number;
    chosen.count = std::min(chosen.count + place.all, wanted);
  }
  return chosen;
}

}  // namespace wavegrid
