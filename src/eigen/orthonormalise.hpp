// Orthonormalisation of bands that may be linearly dependent.
#pragma once

#include <wavegrid/eigen/eigen_state.hpp>

namespace wavegrid {

/// Orthonormalises bands in their order: each becomes its part orthogonal to earlier ones (Gram-Schmidt, as a Cholesky
/// factor applied twice: Y. Yamamoto et al., Electron. Trans. Numer. Anal. 44, 306 (2015)).
///
/// Bands that are zero, or whose part orthogonal to earlier ones is below 1e-4 of their norm (in single precision
/// 1e-3), are left out, and later bands move up. Returns the number of orthonormal bands, which are the first ones; the
/// rest is undefined. Bands that are orthonormal already, to 1e-10 (in single precision 1e-5), are unchanged bit for
/// bit. Overlaps are summed in double precision. Collective; deterministic where `product` is.
template <class S>
[[nodiscard]] Index orthonormalise(const InnerProduct& product, BandView<S> bands);
/// The orthonormal bands alone: fewer than given where some depend linearly on earlier ones. Collective.
template <class S>
[[nodiscard]] Bands<S> orthonormal_part(const InnerProduct& product, Bands<S> bands);
/// The same with X^H S X = 1; HX and SX are transformed too.
template <class S>
[[nodiscard]] Index orthonormalise(const InnerProduct& product, const HsView<S>& bands);
/// Both with X^H S X = 1 for the overlap of `op`, applied once to the bands where it is not 1.
template <class S>
[[nodiscard]] Index orthonormalise(BandOperator<S>& op, BandView<S> bands);
template <class S>
[[nodiscard]] Bands<S> orthonormal_part(BandOperator<S>& op, Bands<S> bands);

}  // namespace wavegrid
