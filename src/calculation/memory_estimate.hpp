// What a calculation will take of each rank's memory.
#pragma once

#include <string>
#include <vector>

#include "calculation/problem.hpp"

namespace wavegrid {

/// Named parts of the memory of one rank, bytes, as they stand together at its peak.
struct MemoryEstimate {
  struct Part {
    std::string name;
    double bytes;
  };
  std::vector<Part> parts;
  [[nodiscard]] double total() const;
};

/// Of the rank that takes most: the one with most plane waves, or the one with most of the grid. What the process holds
/// before the calculation (libraries, an interpreter, MPI) is not counted. Pure.
[[nodiscard]] MemoryEstimate estimate_memory(const Problem& problem, int ranks);

}  // namespace wavegrid
