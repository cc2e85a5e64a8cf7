// Which eigensolver suits a problem.
#pragma once

#include <string>

#include "calculation/problem.hpp"

namespace wavegrid {

struct EigensolverChoice {
  Eigensolver kind;
  std::string reason;
};

/// The problem's own, or by what was measured (docs/performance.md, eigensolvers): pure, the same on all ranks.
[[nodiscard]] EigensolverChoice choose_eigensolver(const Problem& problem);

}  // namespace wavegrid
