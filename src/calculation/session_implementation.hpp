// What a session does, for one discretisation and scalar type of bands.
#pragma once

#include <numeric>

#include "calculation/session.hpp"

namespace wavegrid {

class Session::Implementation {
 public:
  virtual ~Implementation() = default;
  [[nodiscard]] virtual CalculationResult solve(const ScfObserver& observer, const ActivityObserver& activity) = 0;
  virtual std::optional<CheckpointReport> write_checkpoint() = 0;
  virtual void set_geometry(Crystal crystal, const Int3& grid) = 0;
  [[nodiscard]] virtual const Problem& problem() const = 0;
};

[[nodiscard]] inline PhaseSeconds operator-(PhaseSeconds a, const PhaseSeconds& b) {
  a.total -= b.total;
  for (std::size_t phase = 0; phase < num_phases; ++phase) a.of_phase[phase] -= b.of_phase[phase];
  return a;
}

/// Seconds by phase so far.
[[nodiscard]] inline PhaseSeconds seconds_of(Profile& profile) {
  PhaseSeconds seconds;
  for (std::size_t phase = 0; phase < num_phases; ++phase)
    seconds.of_phase[phase] = profile.seconds(static_cast<Phase>(phase));
  seconds.total = std::accumulate(seconds.of_phase.begin(), seconds.of_phase.end(), 0.0);
  return seconds;
}

}  // namespace wavegrid
