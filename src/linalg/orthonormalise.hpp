// Bands made orthonormal where nobody promises that they are independent.
#pragma once

#include "linalg/subspace.hpp"

namespace wavegrid {

/// Makes bands orthonormal in their order: each is what it has beside those before it (Gram-Schmidt, as a Cholesky
/// factor applied twice: Y. Yamamoto et al., Electron. Trans. Numer. Anal. 44, 306 (2015)).
///
/// Bands that have nearly nothing beside those before them (norm 1e-4 of their own; in single precision 1e-3), or no
/// norm at all, are left out and the others close up. Returns how many orthonormal bands stand in front; the rest is
/// undefined. Bands that are orthonormal already, to 1e-10 (in single precision 1e-5), stay bit for bit. Overlaps are
/// summed in double precision. Collective; deterministic where `product` is.
template <class S>
[[nodiscard]] Index orthonormalise(const InnerProduct& product, BandView<S> bands);

/// The largest deviation of the bands' overlaps from the unit matrix. Collective.
template <class S>
[[nodiscard]] double largest_overlap_error(const InnerProduct& product, BandView<const S> bands);

}  // namespace wavegrid
