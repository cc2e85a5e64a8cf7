// Choice of the eigensolver for a problem.
#pragma once

#include <string>

#include "calculation/problem.hpp"

namespace wavegrid {

struct EigensolverChoice {
  Eigensolver kind;
  std::string reason;
};

/// The eigensolver set in the problem, otherwise one chosen by measurements (docs/performance.md, eigensolvers). Pure,
/// the same on all ranks.
[[nodiscard]] EigensolverChoice choose_eigensolver(const Problem& problem);

}  // namespace wavegrid
