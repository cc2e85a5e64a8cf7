// The states that a propagation in time saves: at intervals, at its end, and when a signal stops it.
#pragma once

#include <chrono>
#include <functional>
#include <optional>

#include <wavegrid/calculation/result.hpp>
#include <wavegrid/mpi/comm.hpp>

namespace wavegrid {

/// Without Propagation::checkpoint_file it does nothing. The clock of rank 0 decides for all ranks. A failed write does
/// not end the run: the report has the error until a later one succeeds. Members are collective unless they say
/// "local".
class PropagationCheckpoints {
 public:
  using Save = std::function<Index()>;  ///< returns the bytes of the file

  /// All must outlive it.
  PropagationCheckpoints(const Problem& problem, const Propagation& options, const Comm& world);

  /// Saves after a step where that is due or a signal has come; whether the run has to stop.
  [[nodiscard]] bool stops_after(Index step, const Save& save);
  /// Saves the state at the end, unless that has just been done.
  void finish(Index step, const Save& save);

  /// 0: none has come. Local.
  [[nodiscard]] int signal() const { return signal_; }
  [[nodiscard]] const std::optional<CheckpointReport>& report() const { return report_; }

 private:
  using Clock = std::chrono::steady_clock;
  [[nodiscard]] bool is_time(Index step) const;
  void save_now(Index step, const Save& save);

  const Problem& problem_;
  const Propagation& options_;
  const Comm& world_;
  Clock::time_point last_ = Clock::now();
  Index last_step_ = -1;
  int signal_ = 0;
  std::optional<CheckpointReport> report_;
};

}  // namespace wavegrid
