// The plane waves of a sphere in blocks that depend on the sphere alone, so that sums over blocks do not depend on the
// number of ranks.
#pragma once

#include <vector>

#include <wavegrid/layout/partition.hpp>

namespace wavegrid {

/// Blocks of consecutive whole sticks, by rising address, with numbers of plane waves as equal as whole sticks allow.
/// The same on all ranks; pure.
struct WaveBlocks {
  /// About 256 plane waves in a block, fewer if there would be fewer than 16 blocks.
  explicit WaveBlocks(const StickCounts& counts);

  std::vector<int> sticks;   ///< address of the first stick of each block, and the end
  std::vector<Index> waves;  ///< number of its first plane wave, sticks rising, and the end

  [[nodiscard]] Index count() const { return static_cast<Index>(waves.size()) - 1; }
  /// Distributes whole blocks in their order over `ranks` ranks, as evenly as possible: the first block of each rank,
  /// and the end. If there are more ranks than blocks, some ranks have none.
  [[nodiscard]] std::vector<Index> starts(int ranks) const;
  /// The same as a partition of the sticks.
  [[nodiscard]] Partition partition(const StickCounts& counts, int ranks) const;
};

}  // namespace wavegrid
