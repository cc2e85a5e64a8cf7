// The checkpoints of a calculation: one now and then, one at its end, and one where a signal stops it.
#pragma once

#include <chrono>
#include <optional>

#include "calculation/plane_wave_scf.hpp"
#include "calculation/result.hpp"

namespace wavegrid {

/// Writes what CheckpointOptions asks for; without one it does nothing. Rank 0 keeps the time for all; a stop signal
/// caught on any rank (base/stop_signal.hpp) stops all.
///
/// A write that the system refuses (disk full) does not end the calculation: its message stands in report() until a
/// later one succeeds.
class CheckpointWriter {
 public:
  /// All arguments must outlive this object.
  CheckpointWriter(const Problem& problem, const ProcessGroups& groups, GridFields& fields,
                   const GridPotential& potential)
      : problem_(problem), groups_(groups), fields_(fields), potential_(potential) {}

  /// For the loop over `bands`: writes when it is time, and stops where a signal asks for it.
  template <class S>
  [[nodiscard]] ScfWatch<GridFields> watch(const MyBands<S>& bands);

  /// The checkpoint at the end of the loop: bands, and the density in whose potential they are. Collective.
  template <class S>
  void finish(const MyBands<S>& bands, const ScfResult& result, const SpinCoefficients& density);

  /// Whether a signal has asked to stop since; from then on signals end the process again. Collective.
  [[nodiscard]] bool asked_to_stop();

  [[nodiscard]] const std::optional<CheckpointReport>& report() const { return report_; }
  /// The signal that stopped the calculation, 0 where none has.
  [[nodiscard]] int signal() const { return signal_; }

 private:
  using Clock = std::chrono::steady_clock;
  [[nodiscard]] bool is_time(int step) const;
  template <class S>
  void save(const MyBands<S>& bands, const ScfResult& state, const SpinCoefficients& density);

  const Problem& problem_;
  const ProcessGroups& groups_;
  GridFields& fields_;
  const GridPotential& potential_;
  std::optional<CheckpointReport> report_;
  Clock::time_point last_ = Clock::now();
  int last_step_ = 0;
  int signal_ = 0;
};

}  // namespace wavegrid
