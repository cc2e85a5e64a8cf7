// Moves two arrays on a mesh from slabs of x to pencils along x and back: an exchange between two layouts of one's own.
//
//     mpirun -n 3 exchange
#include <cstdio>
#include <vector>

#include <wavegrid/exchange/directory.hpp>
#include <wavegrid/exchange/exchange_plan.hpp>
#include <wavegrid/mpi/environment.hpp>

using namespace wavegrid;

/// The number of wrong values on all ranks. The point (x, y, z) of the mesh has the global index (x ny + y) nz + z.
Index exchange(const Comm& comm) {
  const Index nx = 7, ny = 8, nz = 9, bands = 2;
  const Index first = nx * comm.rank() / comm.size(), last = nx * (comm.rank() + 1) / comm.size();
  const IndexList slabs{{first * ny * nz, last * ny * nz}};  // whole planes: one range of indices
  IndexList pencils;                                         // lines along x: every size()-th (y, z)
  for (Index yz = comm.rank(); yz < ny * nz; yz += comm.size())
    pencils.append_strided({.start = yz, .length = 1, .count = nx, .stride = ny * nz});

  // The plan is made once, by all ranks together; its runs allocate nothing.
  const MatchedRuns runs = match_layouts(comm, slabs, pencils);
  ExchangePlan plan(comm, runs.sends, runs.receives, Transport::alltoallv);

  // Every value encodes its band and its global index.
  std::vector<double> source, back(static_cast<std::size_t>(bands * slabs.size()));
  std::vector<double> target(static_cast<std::size_t>(bands * pencils.size()));
  for (Index band = 0; band < bands; ++band)
    for (Index i = first * ny * nz; i < last * ny * nz; ++i) source.push_back(static_cast<double>(1000 * band + i));

  const Batch batch{.count = bands, .source_stride = slabs.size(), .target_stride = pencils.size()};
  Exchange moving = plan.start(ExchangeDirection::forward, source, target, batch);
  moving.wait();  // between start and wait: work on other arrays
  plan.backward(target, back, batch);

  Index wrong = back == source ? 0 : 1;
  auto value = target.begin();
  for (Index band = 0; band < bands; ++band)
    for (const Range& range : pencils.ranges())
      for (Index i = range.begin; i < range.end; ++i) wrong += *value++ != static_cast<double>(1000 * band + i);
  return comm.sum(wrong);
}

int main(int argc, char** argv) {
  initialise_mpi(&argc, &argv);
  const Comm comm = Comm::world();
  const Index wrong = exchange(comm);
  if (comm.rank() == 0)
    std::printf("exchange: %lld wrong values on %d ranks\n", static_cast<long long>(wrong), comm.size());
  MPI_Finalize();
  return wrong == 0 ? 0 : 1;
}
