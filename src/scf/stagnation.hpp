// What the self-consistency loop changes where its error no longer falls.
#pragma once

#include <string>
#include <utility>

#include <wavegrid/scf/mixer.hpp>
#include <wavegrid/scf/stagnation_counter.hpp>

namespace wavegrid {

/// A change of method during the loop.
struct ScfChange {
  int step = 0;      ///< after which
  std::string what;  ///< and why, in words
};

/// Watches the error estimates and has the next method ready: first another preconditioner, if the loop may choose it,
/// then smaller steps, twice. Pure.
class Stagnation {
 public:
  static constexpr int patience = 8;  ///< steps within which the error has to halve

  explicit Stagnation(bool may_change_preconditioner) : tries_(may_change_preconditioner ? 0 : 1) {}

  /// Counts a step with its error, Ha; whether the method has to change now.
  [[nodiscard]] bool update(double error) { return counter_.count(error) >= patience && tries_ < most_tries; }

  /// The next options of mixing, and what changed.
  [[nodiscard]] std::pair<MixerOptions, std::string> next(MixerOptions options) {
    counter_.reset();
    std::string what = "the error did not halve in " + std::to_string(patience) + " steps: ";
    if (tries_++ == 0) {
      const PreconditionerKind other = after_kind(options.preconditioner.kind);
      what +=
          std::string(to_string(other)) + " instead of " + to_string(options.preconditioner.kind) + " preconditioner";
      options.preconditioner.kind = other;
    } else {
      options.beta *= 0.3;
      what += "mixing parameter " + std::to_string(options.beta).substr(0, 5) + ", history dropped";
    }
    return {options, what};
  }

 private:
  static constexpr int most_tries = 3;

  [[nodiscard]] static PreconditionerKind after_kind(PreconditionerKind kind) {
    return kind == PreconditionerKind::kerker || kind == PreconditionerKind::none ? PreconditionerKind::ldos
                                                                                  : PreconditionerKind::kerker;
  }

  int tries_;
  StagnationCounter counter_;
};

}  // namespace wavegrid
