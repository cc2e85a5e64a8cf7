// Initial wave functions of two components, from functions of one and from random vectors.
#pragma once

#include <algorithm>

#include <wavegrid/linalg/bands.hpp>

namespace wavegrid {

/// Of two components a band with an even number keeps that with spin up, another one that with spin down; the other
/// becomes 0. Local.
template <class S>
void keep_one_spin(int components, BandView<S> bands) {
  const BandView<S> parts = bands.split(components);
  for (Index b = 0; components == 2 && b < bands.count; ++b)
    std::fill_n(parts.band(2 * b + 1 - b % 2), parts.rows, S(0));
}

/// Makes of functions, at the beginning of the memory, as many bands with each of them as one component, the others
/// being 0. Local.
template <class S>
void spread_over_components(Index functions, int components, BandView<S> bands) {
  const BandView<S> parts = bands.split(components);
  for (Index i = functions; i-- > 0;)  // from the last: bands are longer than functions
    for (int band = components; band-- > 0;)
      for (int s = components; s-- > 0;) {
        S* const part = bands.band(i * components + band) + s * parts.rows;
        if (s != band)
          std::fill_n(part, parts.rows, S(0));
        else if (part != parts.band(i))
          std::copy_n(parts.band(i), parts.rows, part);
      }
}

}  // namespace wavegrid
