// Estimate of the memory that a calculation needs on a rank.
#pragma once

#include <numeric>
#include <string>
#include <vector>

namespace wavegrid {

/// Named parts of the memory of one rank at its peak, bytes. The memory of the process before the calculation
/// (libraries, an interpreter, MPI) is not counted.
struct MemoryEstimate {
  struct Part {
    std::string name;
    double bytes;
  };
  std::vector<Part> parts;
  double earlier_geometries = 0;  ///< in addition, of a session after several geometries (extrapolation.hpp)

  [[nodiscard]] double total() const {
    return std::accumulate(parts.begin(), parts.end(), 0.0,
                           [](double sum, const Part& part) { return sum + part.bytes; });
  }
};

}  // namespace wavegrid
