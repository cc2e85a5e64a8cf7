// How a number of bands is divided into blocks that are transformed together.
#pragma once

#include <map>
#include <vector>

#include <wavegrid/base/index.hpp>

namespace wavegrid {

/// The division with the least time, where a block takes as long with fewer bands. All bands are done in blocks, or all
/// in another way, which rounds differently: a band has the same bits in any number of bands.
class BandBlocks {
 public:
  BandBlocks() = default;
  /// `seconds`: of a block by its bands; `single`: of a band done in the other way.
  BandBlocks(const std::map<int, double>& seconds, double single);

  /// Bands of the first block of `bands`; 0 if all bands are done singly.
  [[nodiscard]] int first(Index bands) const;
  /// The largest block that is ever taken.
  [[nodiscard]] int most() const { return most_; }

 private:
  std::vector<int> first_{0};  ///< by the number of bands
  int best_ = 0, most_ = 0;    ///< the block with the least time per band; the largest
};

}  // namespace wavegrid
