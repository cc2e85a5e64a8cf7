// Operators that act on whole bands while they are on the grid, between the two halves of a transform.
#pragma once

#include <complex>
#include <vector>

#include <wavegrid/base/index.hpp>

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

/// Reads bands on the grid.
template <class Real>
class GridVisitor {
 public:
  GridVisitor() = default;
  GridVisitor(const GridVisitor&) = delete;
  GridVisitor& operator=(const GridVisitor&) = delete;
  virtual ~GridVisitor() = default;

  /// Reads a block of `bands` bands. Collective over the ranks of the grid.
  virtual void read(const GridArrays<Real>& block, const BandNumbers& numbers, Index bands) = 0;
};

/// An operator A that is added to the local potential V.
template <class Real>
class GridOperator : public GridVisitor<Real> {
 public:
  /// After read() of the same block: psi becomes V psi + A psi, so that one pass over the points does both. Null: V is
  /// 1, or the block is multiplied by it already. Local.
  virtual void apply(const GridArrays<Real>& block, const Real* potential) = 0;
};

/// V + A_1 + A_2 + ... on the grid, and for a meta-GGA -1/2 div(v_tau grad). All of them read a block before the first
/// changes it.
template <class Real>
struct GridOperators {
  const Real* potential;  ///< V on this rank's block of the grid, Ha; null: 1. With v_tau V + 1/4 Lap v_tau
  std::vector<GridOperator<Real>*> others{};
  bool has_tau = false;         ///< then bands are transformed with their Laplacians (laplacian_fft.hpp)
  const Real* v_tau = nullptr;  ///< on the same points

  /// Replaces a block by what the operators make of it. Collective over the ranks of the grid.
  void apply(const GridArrays<Real>& block, const BandNumbers& numbers, Index bands) const {
    for (GridOperator<Real>* one : others) one->read(block, numbers, bands);
    const Real* v = potential;
    for (GridOperator<Real>* one : others) {
      one->apply(block, v);
      v = nullptr;
    }
  }
};

}  // namespace wavegrid
