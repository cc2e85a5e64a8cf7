// wavegrid inside a program that has communicators of its own: each half of the ranks moves its own data.
//
//     mpirun -n 4 subcommunicators
#include <cstdio>
#include <vector>

#include <wavegrid/exchange/directory.hpp>
#include <wavegrid/exchange/exchange_plan.hpp>
#include <wavegrid/mpi/environment.hpp>

using namespace wavegrid;

/// Reverses a list of numbers that is distributed over the ranks of a communicator of the program.
int wrong_values(MPI_Comm half, double offset) {
  // A duplicate: its messages never match those of the program. Made once for each communicator, freed with it.
  const Comm comm = Comm::private_copy(half);
  const Index n = 11, first = n * comm.rank() / comm.size(), end = n * (comm.rank() + 1) / comm.size();
  IndexList forwards{{first, end}}, backwards;
  for (Index i = first; i < end; ++i) backwards.append({n - 1 - i, n - i});
  const MatchedRuns runs = match_layouts(comm, forwards, backwards);
  ExchangePlan plan(comm, runs.sends, runs.receives, Transport::pairwise);

  std::vector<double> source, target(static_cast<std::size_t>(end - first));
  for (Index i = first; i < end; ++i) source.push_back(offset + static_cast<double>(i));
  plan.forward(source.data(), target.data(), {});
  int wrong = 0;
  for (Index i = first; i < end; ++i)
    wrong += target[static_cast<std::size_t>(i - first)] != offset + static_cast<double>(n - 1 - i) ? 1 : 0;
  return wrong;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);  // by the program; more than one thread needs MPI_Init_thread with MPI_THREAD_FUNNELED
  int rank = 0, wrong = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  wrong = wrong_values(half, 1000.0 * (rank % 2));  // the halves need not do it at the same time
  MPI_Comm_free(&half);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) std::printf("subcommunicators: %d wrong values\n", wrong);
  MPI_Finalize();
  return wrong == 0 ? 0 : 1;
}
