// Several arrays on one plane of the grid, all values of a point next to each other: sums over points then work on all
// arrays at once with whole vector registers, however short the runs of points are.
#pragma once

#include <complex>

#include <wavegrid/base/index.hpp>

namespace wavegrid {

/// Reals of a point: a cache line, real and imaginary parts of its arrays in turn.
template <class Real>
inline constexpr Index lanes = 64 / static_cast<Index>(sizeof(Real));
/// Arrays that are interleaved.
template <class Real>
inline constexpr Index arrays_per_group = lanes<Real> / 2;

/// Up to arrays_per_group arrays of consecutive points.
template <class Real>
struct ArrayGroup {
  std::complex<Real>* values;  ///< of the first array
  Index count, stride;         ///< arrays, elements from one to the next
};

/// points (n, lanes) = the values of the group from element `first` on; lanes without an array are 0.
template <class Real>
void interleave(const ArrayGroup<Real>& group, Index first, Index n, Real* points);
/// The same in the other direction.
template <class Real>
void separate(const Real* points, const ArrayGroup<Real>& group, Index first, Index n);

}  // namespace wavegrid
