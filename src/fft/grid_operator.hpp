// An operator that acts on whole bands while they stand on the grid, between the two halves of a transform.
#pragma once

#include <complex>

#include "fft/line_stage.hpp"

namespace wavegrid {

/// Which of a caller's bands the consecutive bands of a transform are: band i is number first + i * stride, and none
/// where that is `end` or beyond.
struct BandNumbers {
  Index first = 0, stride = 1, end = 0;

  [[nodiscard]] Index of(Index i) const { return first + i * stride < end ? first + i * stride : -1; }
};

/// Called for one block of bands after the other. Arrays on the grid are numbered in the block: one for each band, in
/// Mode::gamma one for each two bands, a + i b.
template <class Real>
class GridOperator {
 public:
  using Complex = std::complex<Real>;

  GridOperator() = default;
  GridOperator(const GridOperator&) = delete;
  GridOperator& operator=(const GridOperator&) = delete;
  virtual ~GridOperator() = default;

  /// A block of `arrays` arrays begins. Local.
  virtual void begin(Index arrays) = 0;
  /// Takes what it needs of psi(r) on a tile of lines (tile.count, row). Called once for each tile of the block, by
  /// several threads at once. Local.
  virtual void take(const Complex* lines, Index row, const Tile& tile, Index array) = 0;
  /// After the last tile of a block of `bands` bands. Collective over the ranks of the grid.
  virtual void combine(const BandNumbers& numbers, Index bands) = 0;
  /// Adds its result to the lines of a tile, as take(). Local.
  virtual void add(Complex* lines, Index row, const Tile& tile, Index array) const = 0;
};

}  // namespace wavegrid
