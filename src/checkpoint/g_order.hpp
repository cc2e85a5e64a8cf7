// The order of G-vectors in a checkpoint: by rising gz, then gy, then gx. Pure.
#pragma once

#include <vector>

#include <wavegrid/basis/g_sphere.hpp>

namespace wavegrid {

/// The G-vectors of a sphere in the order of the file. Memory: one entry for each stick.
class GOrder {
 public:
  explicit GOrder(const GSphere& sphere);

  [[nodiscard]] Index size() const { return starts_.back(); }
  /// The G-vectors at a range of positions in that order.
  [[nodiscard]] std::vector<Int3> range(const Range& places) const;

 private:
  std::vector<Int3> first_;    ///< first G of each stick, in the order of the file
  std::vector<Index> starts_;  ///< its position, and the end
};

/// The same for an FFT box: g from -(n/2) to (n-1)/2 along each axis.
[[nodiscard]] std::vector<Int3> box_order(const Int3& grid, const Range& places);

}  // namespace wavegrid
