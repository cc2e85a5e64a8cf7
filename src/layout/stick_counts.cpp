#include "layout/stick_counts.hpp"

#include <string>

#include "base/error.hpp"

namespace wavegrid {

PlaneWeights plane_weights(const StickCounts& counts) {
  PlaneWeights weights{std::vector<int>(static_cast<std::size_t>(counts.nz)),
                       std::vector<int>(static_cast<std::size_t>(counts.ny))};
  for (int iz = 0; iz < counts.nz; ++iz)
    for (int iy = 0; iy < counts.ny; ++iy) {
      weights.of_iz[static_cast<std::size_t>(iz)] += counts.at(iy, iz);
      weights.of_iy[static_cast<std::size_t>(iy)] += counts.at(iy, iz);
    }
  return weights;
}

StickCounts sum_over_k(const std::vector<StickCounts>& counts_of_k) {
  if (counts_of_k.empty()) throw bad_input("a partition shared by k-points needs at least one k-point");
  StickCounts sum = counts_of_k.front();
  for (std::size_t k = 1; k < counts_of_k.size(); ++k) {
    const StickCounts& counts = counts_of_k[k];
    if (counts.ny != sum.ny || counts.nz != sum.nz)
      throw bad_input("a partition shared by k-points needs one grid; k-point " + std::to_string(k) + " has " +
                      std::to_string(counts.ny) + " x " + std::to_string(counts.nz) + " sticks, the first " +
                      std::to_string(sum.ny) + " x " + std::to_string(sum.nz));
    for (std::size_t s = 0; s < sum.count.size(); ++s) sum.count[s] += counts.count[s];
  }
  return sum;
}

}  // namespace wavegrid
