// Messages between two ranks, one after the other or many at once.
#pragma once

#include <vector>

#include <wavegrid/costmodel/fit_messages.hpp>
#include <wavegrid/mpi/comm.hpp>

namespace wavegrid::bench {

/// What a pair of ranks measured, the same on all ranks.
struct PairFigures {
  std::vector<MessageTime> times;  ///< half of a ping-pong, by rising size
  double overhead = 0;             ///< seconds of the sender's processor for a small message: o of LogGP
  double gap = 0;                  ///< seconds between small messages sent at once: g of LogGP
};

/// Rank 0 and `partner`; the others wait. The least of `repeats` samples counts. Collective.
[[nodiscard]] PairFigures measure_pair(const Comm& comm, int partner, int repeats);

/// Each rank and its neighbour exchange messages, all pairs of `comm` at once: the time of the slowest rank, the least
/// of `repeats`. With more ranks than cores it contains the time in which the others have the core. Collective.
[[nodiscard]] std::vector<MessageTime> measure_neighbours(const Comm& comm, int repeats);

}  // namespace wavegrid::bench
