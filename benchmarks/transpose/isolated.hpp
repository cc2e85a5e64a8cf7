// The transposes of one block of bands without anything else: all ranks start together, nothing is computed between.
#pragma once

#include "common/series.hpp"
#include "problem.hpp"

namespace wavegrid::bench {

/// What is sent for one block of bands through all of its transposes, over all ranks, without what a rank keeps.
struct BlockTraffic {
  Index messages = 0;
  Index bytes = 0;
  double padding = 0;  ///< the share of the bytes that is padding
};

/// The plans of both transposes, and arrays of one block to run them on.
class Transposes {
 public:
  /// Collective.
  explicit Transposes(const Problem& problem);

  [[nodiscard]] BlockTraffic traffic(Transport transport) const;
  /// One figure per transport: out through the first and the second transpose, back through the second and the first,
  /// a barrier before each, the slowest rank's times added up. Collective.
  [[nodiscard]] std::vector<Figure> measure(const std::vector<Transport>& transports, int repeats);

 private:
  static constexpr int steps = 4;
  /// Transposes there and back `laps` times; returns the seconds of each of the steps of each lap on this rank.
  [[nodiscard]] std::vector<double> run(Transport transport, Index laps);
  void step(int index);

  Comm comm_;
  FftLayout layout_;
  Index block_;
  ExchangePlan to_planes_, to_sections_;
  AlignedVector<Complex> sticks_, arrived_, columns_, section_;  // (block, one band each)
};

}  // namespace wavegrid::bench
