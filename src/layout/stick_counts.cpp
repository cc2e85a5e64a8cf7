#include <wavegrid/layout/stick_counts.hpp>

namespace wavegrid {

PlaneWeights plane_weights(const StickCounts& counts) {
  PlaneWeights weights{std::vector<int>(static_cast<std::size_t>(counts.nz)),
                       std::vector<int>(static_cast<std::size_t>(counts.ny))};
  for (int iz = 0; iz < counts.nz; ++iz)
    for (int iy = 0; iy < counts.ny; ++iy) {
      weights.per_iz[static_cast<std::size_t>(iz)] += counts.at(iy, iz);
      weights.per_iy[static_cast<std::size_t>(iy)] += counts.at(iy, iz);
    }
  return weights;
}

}  // namespace wavegrid
