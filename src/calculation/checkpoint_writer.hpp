// The checkpoints of a calculation: written at intervals, at its end, and when a signal stops it.
#pragma once

#include <chrono>
#include <optional>

#include <wavegrid/calculation/result.hpp>

namespace wavegrid {

/// The checkpoints of a session so far.
struct CheckpointRecord {
  std::chrono::steady_clock::time_point last = std::chrono::steady_clock::now();  ///< of the last one, or of the start
  std::optional<CheckpointReport> report;
};

/// Writes checkpoints as CheckpointOptions says; without options it does nothing, but that it stops a run in perturbed
/// shells (Problem::hubbard_perturbation), whose program goes on with those that are done. The clock of rank 0 decides
/// for all ranks; a stop signal caught on any rank (base/stop_signal.hpp) stops all of them.
///
/// A failed write (disk full) does not end the calculation: the report has the error message until a later write
/// succeeds. All members but signal() are collective.
class CheckpointWriter {
 public:
  /// All arguments must outlive this object.
  CheckpointWriter(const Problem& problem, const Comm& world, CheckpointRecord& record)
      : problem_(problem), world_(world), record_(record) {}

  /// Whether after_step() does anything.
  [[nodiscard]] bool watches() const { return problem_.checkpoint || problem_.hubbard_perturbation; }

  /// After a step of the loop: writes a checkpoint when it is due, and stops the loop after a signal.
  [[nodiscard]] AfterStep after_step(const ScfResult& state, const WriteState& write);

  /// Writes the checkpoint at the end of the loop, unless the last step has written it or the options want none there
  /// that is not due.
  void finish(const ScfResult& state, const WriteState& write);

  /// Whether a stop signal has arrived.
  [[nodiscard]] bool asked_to_stop();

  /// Writes a checkpoint.
  void save(const ScfResult& state, const WriteState& write);

  /// The signal that stopped the calculation, 0 if there was none.
  [[nodiscard]] int signal() const { return signal_; }

 private:
  using Clock = std::chrono::steady_clock;
  [[nodiscard]] bool is_time(int step) const;
  const Problem& problem_;
  const Comm& world_;
  CheckpointRecord& record_;
  int last_step_ = 0;  ///< of this solve that has written one
  int signal_ = 0;
};

}  // namespace wavegrid
