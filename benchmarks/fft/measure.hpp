// Times libraries side by side: each repeat takes a sample of every one, so that a slow moment strikes all alike.
#pragma once

#include <vector>

#include "application.hpp"
#include "dense_pair.hpp"

namespace wavegrid::bench {

/// The least of the repeats, seconds per band; valid on rank 0. With one rank of one thread seconds of the thread's own
/// clock, which stands still while other programs have the core.
struct Times {
  double dense = 0;
  std::vector<double> applications;  ///< as passed to measure()
};

/// Times the applications and the dense pair. `dense` is null on all ranks but 0, which sleep while only rank 0 works.
/// Throws where the applications' results differ by more than rounding. Collective.
[[nodiscard]] Times measure(const Comm& comm, DensePair* dense, const std::vector<Application*>& applications,
                            Index bands, int threads, int repeats);

/// A barrier whose waiting ranks leave the cores to others. Collective.
void sleeping_barrier(const Comm& comm);

}  // namespace wavegrid::bench
