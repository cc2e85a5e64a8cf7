// A vector in blocks is needed in a block-cyclic layout: what MPI_Ialltoallv does with packing, counts and offsets,
// with work between start and wait. The first steps measure the transports, and the fastest stays.
//
//     mpirun -n 3 redistribute
#include <algorithm>
#include <cstdio>
#include <vector>

#include <wavegrid/base/error.hpp>
#include <wavegrid/exchange/candidates.hpp>
#include <wavegrid/exchange/directory.hpp>
#include <wavegrid/exchange/tuned_plan.hpp>

using namespace wavegrid;

Index redistribute() {
  const Comm comm = Comm::private_copy(MPI_COMM_WORLD);
  const Index n = 1003, block = 8;
  const IndexList have{{n * comm.rank() / comm.size(), n * (comm.rank() + 1) / comm.size()}};
  IndexList need;
  for (Index first = comm.rank() * block; first < n; first += comm.size() * block)
    need.append({first, std::min(first + block, n)});

  const MatchedRuns runs = match_layouts(comm, have, need);  // once
  TunedPlan<ExchangePlan> plan(comm, runs.sends, runs.receives, Transport::alltoallv);
  plan.search(comm, transport_candidates(comm, {&plan}, sizeof(double)));

  std::vector<double> source, target(static_cast<std::size_t>(need.size()));
  for (const Range& range : have.ranges())
    for (Index i = range.begin; i < range.end; ++i) source.push_back(static_cast<double>(i));
  for (int step = 0; step < 40; ++step)  // many times
    plan.step([&] {                      // a step of the search; after it the same as without step()
      Exchange moving = plan.start(ExchangeDirection::forward, source, target, {});
      moving.wait();  // between start and wait: work on other arrays
    });

  Index wrong = plan.is_tuning() ? 1 : 0;
  auto value = target.begin();
  for (const Range& range : need.ranges())
    for (Index i = range.begin; i < range.end; ++i) wrong += *value++ != static_cast<double>(i) ? 1 : 0;
  if (comm.rank() == 0) std::printf("transport: %s\n", to_string(plan.transport()));
  return comm.sum(wrong);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Index wrong = 1;
  try {
    wrong = redistribute();
  } catch (const Error& error) {  // the same on all ranks
    std::fprintf(stderr, "%s\n", error.what());
  }
  MPI_Finalize();
  return wrong == 0 ? 0 : 1;
}
