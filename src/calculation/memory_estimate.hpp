// Estimate of the memory that a calculation needs on each rank.
#pragma once

#include <string>
#include <vector>

#include "calculation/choose_projectors.hpp"
#include "calculation/problem.hpp"
#include "mpi/comm.hpp"

namespace wavegrid {

/// Named parts of the memory of one rank at its peak, bytes.
struct MemoryEstimate {
  struct Part {
    std::string name;
    double bytes;
  };
  std::vector<Part> parts;
  ProjectorChoice projectors;     ///< of plane waves: on which the estimate depends
  double earlier_geometries = 0;  ///< in addition, of a session after several geometries (extrapolation.hpp)
  [[nodiscard]] double total() const;
};

/// Estimate for the rank that needs most: the one with most plane waves, or the one with most of the grid. The memory
/// of the process before the calculation (libraries, an interpreter, MPI) is not counted. Pure.
[[nodiscard]] MemoryEstimate estimate_memory(const Problem& problem, int ranks);

/// Throws environment_error if `problem` with `bands` instead of its own number needs more than its memory_limit on one
/// of the ranks. Collective; all ranks throw or none.
void require_memory_for(const Comm& ranks, const Problem& problem, Index bands);

}  // namespace wavegrid
