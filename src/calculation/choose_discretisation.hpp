// The one place where a calculation is given its discretisation.
#pragma once

#include <wavegrid/calculation/session_implementation.hpp>
#include <wavegrid/discretisation/discretisation_rules.hpp>

namespace wavegrid {

/// The rules of the problem's discretisation.
[[nodiscard]] const DiscretisationRules& rules_for(const Problem& problem);

/// Throws bad_input for a problem that cannot be computed. Pure.
void require_valid(const Problem& problem);

/// The estimate for the rank that needs most memory. Pure.
[[nodiscard]] inline MemoryEstimate estimate_memory(const Problem& problem, int ranks) {
  return rules_for(problem).memory(problem, ranks);
}

/// Throws environment_error if `problem` with `bands` instead of its own number needs more than its memory_limit on one
/// of the ranks. Collective; all ranks throw or none.
void require_memory_for(const Comm& ranks, const Problem& problem, Index bands);

/// The calculation of a valid problem, with the scalar of its bands. Collective over `comm`.
[[nodiscard]] std::unique_ptr<Session::Implementation> make_calculation(const Comm& comm, const Problem& problem,
                                                                        Trace* trace, SessionOptions options);

}  // namespace wavegrid
