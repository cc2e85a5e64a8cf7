// The transposes as they run: blocks of bands through H applications, one after the other, no barrier anywhere.
#pragma once

#include <deque>
#include <memory>

#include "common/series.hpp"
#include "problem.hpp"

namespace wavegrid::bench {

/// Seconds per block of bands.
struct Running {
  Figure exchange;                           ///< in packing, sending, waiting and unpacking, of the slowest rank
  Figure whole;                              ///< of everything, of the slowest rank
  double mean_exchange = 0, mean_whole = 0;  ///< medians of the mean over the ranks
};

/// One H application of the local potential (backward, product, forward) under one transport.
class Application {
 public:
  /// No transport: the tuner chooses, and has chosen when this returns. Collective.
  Application(const Problem& problem, std::optional<Transport> transport, bool overlap);

  [[nodiscard]] Transport transport() const { return fft_.pipeline().to_planes().transport(); }
  [[nodiscard]] std::string reason() const { return fft_.tuning() ? fft_.tuning()->reason : ""; }

  struct Sample {
    double exchange, whole;  ///< seconds per block on this rank
  };
  /// Applies the potential `calls` times to the first `blocks` blocks of psi. Collective.
  Sample take(const std::vector<Complex>& psi, std::vector<Complex>& out, Index blocks, Index calls);

 private:
  std::unique_ptr<Profile> profile_ = std::make_unique<Profile>();
  Index block_;
  SphereFft<double> fft_;
  std::vector<double> potential_;  // (my x, my y, nz)
};

/// One figure per application, each taking `blocks` blocks of the same bands a call, in turn. Collective.
[[nodiscard]] std::vector<Running> measure(const Problem& problem, std::deque<Application>& applications, Index blocks,
                                           int repeats);

}  // namespace wavegrid::bench
