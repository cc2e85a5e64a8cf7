#include "neighbours.hpp"

#include <algorithm>

namespace wavegrid::bench {

namespace {

/// One element for each neighbour, which carries as many numbers as the message has.
std::vector<PartnerRuns> runs_of(const Comm& comm, int neighbours) {
  std::vector<PartnerRuns> runs;
  for (int n = 0; n < neighbours; ++n) {
    const int distance = n % 2 == 0 ? n / 2 + 1 : comm.size() - (n / 2 + 1);
    runs.push_back({(comm.rank() + distance) % comm.size(), {{n, 1}}});
  }
  return runs;
}

/// Both sides: with an even number of them each rank is a neighbour of its neighbours.
int usable_neighbours(const Comm& comm, int wanted) {
  const int others = comm.size() - 1;
  return others >= wanted ? wanted : others - others % 2;
}

void compute_for(double seconds) {
  const auto start = Clock::now();
  while (seconds_since(start) < seconds) {
  }
}

}  // namespace

NeighbourExchange::NeighbourExchange(const Comm& comm, int neighbours, Index most_bytes)
    : neighbours_(usable_neighbours(comm, neighbours)),
      plan_(comm, runs_of(comm, neighbours_), runs_of(comm, neighbours_), Transport::pairwise),
      source_(static_cast<std::size_t>(neighbours_ * most_bytes / 8), 1.0),
      target_(source_) {}

NeighbourTimes NeighbourExchange::measure(Transport transport, Index bytes, int repeats) {
  const Comm& comm = plan_.comm();
  plan_.use(transport);
  plan_.release_other_transports();
  const Batch batch{.count = 1, .source_stride = 0, .target_stride = 0, .values = bytes / 8};
  const auto exchange = [&](double between) {
    Exchange run = plan_.start(ExchangeDirection::forward, source_.data(), target_.data(), batch);
    if (between > 0) compute_for(between);
    run.wait();
  };
  const auto sample = [&](Index calls, double between) {
    comm.barrier();
    const auto start = Clock::now();
    for (Index call = 0; call < calls; ++call) exchange(between);
    return comm.max(seconds_since(start)) / static_cast<double>(calls);
  };
  const Index calls = calls_for(comm, sample(2, 0), 500);
  std::vector<double> latencies, overheads;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    latencies.push_back(sample(calls, 0));
    overheads.push_back(std::max(0.0, sample(calls, latencies.back()) - latencies.back()));
  }
  return {median(latencies), median(overheads)};
}

}  // namespace wavegrid::bench
