// What the self-consistency loop changes where its error no longer falls.
#pragma once

#include <array>
#include <limits>
#include <string>
#include <utility>

#include "base/printable.hpp"
#include "scf/mixer.hpp"

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
  [[nodiscard]] bool after(double error) {
    if (error < 0.5 * halved_) {
      halved_ = error;
      steps_ = 0;
      return false;
    }
    return tries_ < most_tries && ++steps_ >= patience;
  }

  /// The next options of mixing, and what changed.
  [[nodiscard]] std::pair<MixerOptions, std::string> next(MixerOptions options) {
    steps_ = 0;
    std::string what = "the error did not halve in " + std::to_string(patience) + " steps: ";
    if (tries_++ == 0) {
      const PreconditionerKind other = after_kind(options.preconditioner.kind);
      what += std::string(name_of(other)) + " instead of " + name_of(options.preconditioner.kind) + " preconditioner";
      options.preconditioner.kind = other;
    } else {
      options.beta *= 0.3;
      what += "mixing parameter " + text_of(options.beta) + ", history dropped";
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
  int steps_ = 0;  ///< since the error halved
  double halved_ = std::numeric_limits<double>::max();
};

}  // namespace wavegrid
