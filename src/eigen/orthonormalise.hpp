// Bands made orthonormal that may be linearly dependent.
#pragma once

#include "eigen/eigen_state.hpp"

namespace wavegrid {

/// Makes bands orthonormal in their order: of each the part orthogonal to those before it (Gram-Schmidt, as a Cholesky
/// factor applied twice: Y. Yamamoto et al., Electron. Trans. Numer. Anal. 44, 306 (2015)).
///
/// Bands of which nearly nothing is orthogonal to those before them (norm 1e-4 of their own; in single precision 1e-3),
/// or no norm at all, are left out, and those behind move up. Returns how many orthonormal bands stand in front; the
/// rest is undefined. Bands that are orthonormal already, to 1e-10 (in single precision 1e-5), stay bit for bit.
/// Overlaps are summed in double precision. Collective; deterministic where `product` is.
template <class S>
[[nodiscard]] Index orthonormalise(const InnerProduct& product, BandView<S> bands);
/// The same with X^H S X = 1; the images follow.
template <class S>
[[nodiscard]] Index orthonormalise(const InnerProduct& product, const ImagedView<S>& bands);

/// The largest deviation of the bands' overlaps from the unit matrix. Collective.
template <class S>
[[nodiscard]] double largest_overlap_error(const InnerProduct& product, BandView<const S> bands);

}  // namespace wavegrid
