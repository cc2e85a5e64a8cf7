#include <wavegrid/eigen/locking.hpp>

namespace wavegrid {

std::vector<Index> unlocked(const std::vector<double>& squared_residuals, const LockBounds& bounds) {
  std::vector<Index> bands;
  for (std::size_t b = 0; b < squared_residuals.size(); ++b)
    if (bounds.empty() || squared_residuals[b] > bounds[b]) bands.push_back(static_cast<Index>(b));
  return bands;
}

}  // namespace wavegrid
