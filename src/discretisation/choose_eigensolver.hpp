// Choice of the eigensolver for a problem.
#pragma once

#include <string>

#include <wavegrid/eigen/band_solver.hpp>

namespace wavegrid {

struct EigensolverChoice {
  Eigensolver kind;
  std::string reason;
};

}  // namespace wavegrid
