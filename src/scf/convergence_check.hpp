// How a self-consistency loop ends other than by its tolerance: too few bands, rounding (decision 0012).
#pragma once

#include <wavegrid/scf/scf_options.hpp>
#include <wavegrid/scf/scf_result.hpp>
#include <wavegrid/scf/stagnation_counter.hpp>

namespace wavegrid {

/// Counts the steps of a loop. Pure.
class ConvergenceCheck {
 public:
  ConvergenceCheck(const ScfOptions& options, double electrons) : options_(options), electrons_(electrons) {}

  /// Counts a step. The highest band may stay occupied (ScfResult::wants_bands); steps with a nearly converged density
  /// count three times.
  void update(const ScfResult& result) {
    const bool settled = result.error_estimate < 1e-4 * electrons_;
    occupied_count_ = result.wants_bands() ? occupied_count_ + (settled ? 3 : 1) : 0;
    counter_.count(result.error_estimate);
  }

  /// Whether the highest band stays occupied, or full with a free moment: at the end, or for several steps.
  [[nodiscard]] bool lacks_bands(const ScfResult& result) const {
    return result.wants_bands() && (result.converged || occupied_count_ >= 9);
  }

  /// Whether to end the loop because it lacks bands. Without the missing bands it may not converge: if they are
  /// partners of degenerate ones, any combination of all of them is as good as another.
  [[nodiscard]] bool asks_for_bands(const ScfResult& result) const {
    return options_.asks_for_bands && result.steps + 1 < options_.max_steps && lacks_bands(result);
  }

  /// Whether the error estimate is below the rounding of the energy and no longer falls.
  [[nodiscard]] bool is_at_rounding(const ScfResult& result) const {
    constexpr int patience = 3;  // steps
    return result.error_estimate < result.energies.rounding() && counter_.steps() >= patience;
  }

 private:
  const ScfOptions& options_;
  double electrons_;
  int occupied_count_ = 0;
  StagnationCounter counter_;
};

}  // namespace wavegrid
