// An operator that acts on whole bands while they stand on the grid, between the two halves of a transform.
#pragma once

#include <complex>

#include "base/index.hpp"

namespace wavegrid {

/// Which of a caller's bands the consecutive bands of a transform are: band i is number first + i * stride, and none
/// where that is `end` or beyond.
struct BandNumbers {
  Index first = 0, stride = 1, end = 0;

  [[nodiscard]] Index of(Index i) const { return first + i * stride < end ? first + i * stride : -1; }
};

/// A block of bands on this rank's part of the grid: arrays (my x, my y, nz), one for each band, in Mode::gamma one for
/// each two bands, a + i b.
template <class Real>
struct GridArrays {
  std::complex<Real>* values;
  Index count;
  Index stride;  ///< elements from array to array
};

template <class Real>
class GridOperator {
 public:
  GridOperator() = default;
  GridOperator(const GridOperator&) = delete;
  GridOperator& operator=(const GridOperator&) = delete;
  virtual ~GridOperator() = default;

  /// Acts on a block of `bands` bands in place, or only reads them. Collective over the ranks of the grid.
  virtual void apply(const GridArrays<Real>& block, const BandNumbers& numbers, Index bands) = 0;
};

}  // namespace wavegrid
