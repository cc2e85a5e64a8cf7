// The plane waves of a sphere in blocks that depend on the sphere alone: what sums must be divided into if they are not
// to depend on the number of ranks.
#pragma once

#include <vector>

#include "layout/partition.hpp"

namespace wavegrid {

/// Consecutive whole sticks, addresses rising, as even in plane waves as sticks allow. Known alike to all ranks; pure.
struct WaveBlocks {
  /// About `wanted_waves` plane waves in a block, less where there would be fewer than 16 blocks.
  explicit WaveBlocks(const StickCounts& counts);

  std::vector<int> sticks;   ///< address of the first stick of each block, and the end
  std::vector<Index> waves;  ///< number of its first plane wave, sticks rising, and the end

  [[nodiscard]] Index count() const { return static_cast<Index>(waves.size()) - 1; }
  /// Whole blocks in their order to `ranks` ranks, as even as can be: the first block of each rank, and the end. With
  /// more ranks than blocks some ranks have none.
  [[nodiscard]] std::vector<Index> starts(int ranks) const;
  /// The same as a partition of the sticks.
  [[nodiscard]] Partition partition(const StickCounts& counts, int ranks) const;
};

}  // namespace wavegrid
