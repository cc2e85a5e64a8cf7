#include <numeric>

#include <wavegrid/mpi/gather.hpp>

namespace wavegrid {

Gathered gather_all(const Comm& comm, std::span<const Index> mine) {
  const auto guard = comm.time();
  const int count = static_cast<int>(mine.size());
  std::vector<int> counts(static_cast<std::size_t>(comm.size()));
  MPI_Allgather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, comm.handle());
  std::vector<int> offsets(counts.size() + 1, 0);
  std::partial_sum(counts.begin(), counts.end(), offsets.begin() + 1);
  Gathered all{std::vector<Index>(static_cast<std::size_t>(offsets.back())), {offsets.begin(), offsets.end()}};
  MPI_Allgatherv(mine.data(), count, MPI_INT64_T, all.values.data(), counts.data(), offsets.data(), MPI_INT64_T,
                 comm.handle());
  return all;
}

}  // namespace wavegrid
