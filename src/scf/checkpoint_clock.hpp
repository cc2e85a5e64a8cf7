// When a calculation writes a checkpoint, and when it stops.
#pragma once

#include <chrono>
#include <optional>

#include "mpi/comm.hpp"

namespace wavegrid {

/// Looked at after each step of the loop. Rank 0 keeps the time for all; a stop signal caught on any rank
/// (base/stop_signal.hpp) stops all of them.
class CheckpointClock {
 public:
  /// From one checkpoint to the next; none: only where the calculation stops.
  CheckpointClock(std::optional<double> every_seconds, std::optional<int> every_steps)
      : every_seconds_(every_seconds), every_steps_(every_steps) {}

  struct Verdict {
    bool write = false;
    bool stop = false;  ///< then also write
  };
  /// After step number `step`. Collective.
  [[nodiscard]] Verdict look(const Comm& world, int step);
  /// The signal that stopped the calculation, 0 where none has.
  [[nodiscard]] int signal() const { return signal_; }

 private:
  using Clock = std::chrono::steady_clock;
  std::optional<double> every_seconds_;
  std::optional<int> every_steps_;
  Clock::time_point last_ = Clock::now();
  int signal_ = 0;
};

}  // namespace wavegrid
