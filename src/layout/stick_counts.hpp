// How many plane waves lie on each x-stick: the only property of a sphere on which partitions depend.
#pragma once

#include <cstddef>
#include <numeric>
#include <vector>

#include <wavegrid/base/index.hpp>

namespace wavegrid {

/// Plane waves per stick; a stick runs along x and has the address iz * ny + iy, (iy, iz) in FFT order.
struct StickCounts {
  int ny = 0;
  int nz = 0;
  std::vector<int> count;  ///< ny * nz values, 0 if the stick is outside the sphere

  StickCounts(int num_y, int num_z)
      : ny(num_y), nz(num_z), count(static_cast<std::size_t>(num_y) * static_cast<std::size_t>(num_z)) {}

  [[nodiscard]] int num_sticks() const { return ny * nz; }
  [[nodiscard]] int& at(int iy, int iz) { return count[static_cast<std::size_t>(iz * ny + iy)]; }
  [[nodiscard]] int at(int iy, int iz) const { return count[static_cast<std::size_t>(iz * ny + iy)]; }
  [[nodiscard]] Index total() const { return std::accumulate(count.begin(), count.end(), Index{0}); }
};

/// Plane waves in each xy-plane (fixed iz) and each xz-plane (fixed iy).
struct PlaneWeights {
  std::vector<int> per_iz, per_iy;
};
[[nodiscard]] PlaneWeights plane_weights(const StickCounts& counts);

}  // namespace wavegrid
