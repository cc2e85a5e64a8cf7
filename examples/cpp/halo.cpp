// The halo exchange of a graph: vertices of a ring with chords, distributed over the ranks in any way. Each vertex
// needs the values of its neighbours: y(v) = sum of x over the neighbours of v.
//
//     mpirun -n 3 halo
#include <algorithm>
#include <cstdio>
#include <map>
#include <vector>

#include <wavegrid/mesh/halo.hpp>
#include <wavegrid/mpi/environment.hpp>

using namespace wavegrid;

constexpr Index vertices = 101;

std::vector<Index> neighbours(Index v) {
  return {(v + 1) % vertices, (v + vertices - 1) % vertices, (v + 10) % vertices, (v + vertices - 10) % vertices};
}

Index wrong_sums(const Comm& comm) {
  // This rank's vertices, and the others that they need.
  std::vector<Index> own, ghosts;
  std::map<Index, Index> place;  // in the array of own vertices and ghosts
  for (Index v = comm.rank(); v < vertices; v += comm.size()) {
    place[v] = static_cast<Index>(own.size());
    own.push_back(v);
  }
  for (const Index v : own)
    for (const Index n : neighbours(v))
      if (place.emplace(n, static_cast<Index>(own.size() + ghosts.size())).second) ghosts.push_back(n);
  Halo halo(comm, IndexList::of(own), IndexList::of(ghosts));  // once

  constexpr Index width = 2;  // values per vertex, side by side
  std::vector<double> x(static_cast<std::size_t>(width) * (own.size() + ghosts.size()));
  for (std::size_t i = 0; i < own.size(); ++i) x[width * i] = static_cast<double>(own[i]), x[width * i + 1] = 1;
  halo.fill(x.data(), width);  // many times; halo.start(...) and wait() do it in two steps

  Index wrong = 0;
  for (const Index v : own) {
    double sum = 0, count = 0, expected = 0;
    for (const Index n : neighbours(v)) {
      const auto at = static_cast<std::size_t>(width * place[n]);
      sum += x[at], count += x[at + 1], expected += static_cast<double>(n);
    }
    wrong += sum != expected || count != 4 ? 1 : 0;
  }
  return comm.sum(wrong);
}

int main(int argc, char** argv) {
  initialise_mpi(&argc, &argv);
  Index wrong = 0;
  {
    const Comm comm = Comm::world();
    wrong = wrong_sums(comm);
    if (comm.rank() == 0) std::printf("halo: %d wrong sums on %d ranks\n", static_cast<int>(wrong), comm.size());
  }
  MPI_Finalize();
  return wrong == 0 ? 0 : 1;
}
