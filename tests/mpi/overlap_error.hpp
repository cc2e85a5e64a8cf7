// How far bands are from being orthonormal.
#pragma once

#include <algorithm>

#include <wavegrid/linalg/overlap.hpp>

namespace wavegrid {

/// The largest deviation of the bands' overlaps from the unit matrix. Collective.
template <class S>
double largest_overlap_error(const InnerProduct& product, BandView<const S> bands) {
  const auto overlaps = overlap_in_double<S>(product, bands, bands);
  double largest = 0;
  for (Index i = 0; i < overlaps.rows(); ++i)
    for (Index j = 0; j < overlaps.columns(); ++j)
      largest = std::max(largest, std::abs(overlaps(i, j) - (i == j ? 1.0 : 0.0)));
  return largest;
}

}  // namespace wavegrid
