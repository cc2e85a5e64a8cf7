// The checkpoints of a calculation: written at intervals, at its end, and when a signal stops it.
#pragma once

#include <chrono>
#include <optional>

#include "calculation/plane_wave_scf.hpp"
#include "calculation/result.hpp"

namespace wavegrid {

/// The checkpoints of a session so far.
struct CheckpointRecord {
  std::chrono::steady_clock::time_point last = std::chrono::steady_clock::now();  ///< of the last one, or of the start
  std::optional<CheckpointReport> report;
};

/// Writes checkpoints as CheckpointOptions says; without options it does nothing. The clock of rank 0 decides for all
/// ranks; a stop signal caught on any rank (base/stop_signal.hpp) stops all of them.
///
/// A failed write (disk full) does not end the calculation: the report has the error message until a later write
/// succeeds.
class CheckpointWriter {
 public:
  /// All arguments must outlive this object.
  CheckpointWriter(const Problem& problem, const ProcessGroups& groups, GridFields& fields,
                   const GridPotential& potential, CheckpointRecord& record)
      : problem_(problem), groups_(groups), fields_(fields), potential_(potential), record_(record) {}

  /// The callback for the loop over `bands`: writes a checkpoint when it is due, and stops the loop after a signal.
  template <class S>
  [[nodiscard]] ScfWatch<GridFields> watch(const MyBands<S>& bands);

  /// Writes the checkpoint at the end of the loop (bands and density), unless the last step has written it or the
  /// options want none there that is not due. Collective.
  template <class S>
  void finish(const MyBands<S>& bands, const ScfResult& result, const SpinCoefficients& density);

  /// Whether a stop signal has arrived. Collective.
  [[nodiscard]] bool asked_to_stop();

  /// Writes a checkpoint; without options it does nothing. Collective.
  template <class S>
  void save(const MyBands<S>& bands, const ScfResult& state, const SpinCoefficients& density);

  /// The signal that stopped the calculation, 0 if there was none.
  [[nodiscard]] int signal() const { return signal_; }

 private:
  using Clock = std::chrono::steady_clock;
  [[nodiscard]] bool is_time(int step) const;
  const Problem& problem_;
  const ProcessGroups& groups_;
  GridFields& fields_;
  const GridPotential& potential_;
  CheckpointRecord& record_;
  int last_step_ = 0;  ///< of this solve that has written one
  int signal_ = 0;
};

}  // namespace wavegrid
