// Linear combinations of bands.
#pragma once

#include <vector>

#include <wavegrid/linalg/bands.hpp>
#include <wavegrid/linalg/inner_product.hpp>

namespace wavegrid {

/// Rows that rotations in place take at a time: wide enough for BLAS-3, few enough to stay in cache.
inline constexpr Index rotated_rows = 512;

/// out = in * c (+ out where `add`), with c (in.count, out.count). Local. `out` must not overlap `in`.
template <class S>
void rotate(const InnerProduct& product, BandView<const S> in, const Matrix<S>& c, BandView<S> out, bool add = false);

/// The same in place: the first c.columns() bands (no more than there are) become the rotated ones. A few rows at a
/// time, so that no second array of bands is needed. Local.
template <class S>
void rotate_in_place(const InnerProduct& product, BandView<S> bands, const Matrix<S>& c);

/// y += a x for each band with its own factor. Local.
template <class S>
void add_scaled(BandView<const S> x, const S* factors, BandView<S> y);

/// Divides each band by the square root of its squared norm; a band of norm 0 is unchanged. Local.
template <class S>
void divide_by_norms(const std::vector<double>& squared_norms, BandView<S> bands);

/// Scales each band to norm 1. Collective.
template <class S>
void normalise(const InnerProduct& product, BandView<S> bands);

/// bands -= sum_i q_i <s_i|bands>, for q and s with <s_i|q_j> = delta_ij (both may be empty): removes the span of q.
/// Collective.
template <class S>
void project_off(const InnerProduct& product, BandView<const S> q, BandView<const S> s, BandView<S> bands);
/// The same for orthonormal q.
template <class S>
void project_off(const InnerProduct& product, BandView<const S> q, BandView<S> bands) {
  project_off<S>(product, q, q, bands);
}

}  // namespace wavegrid
