// Overlaps of blocks of bands: one BLAS-3 call each and one sum over ranks.
#pragma once

#include <vector>

#include <wavegrid/linalg/bands.hpp>
#include <wavegrid/linalg/inner_product.hpp>

namespace wavegrid {

/// <a_i|b_j>, (a.count, b.count), the same on all ranks. Collective.
template <class S>
[[nodiscard]] Matrix<S> overlap(const InnerProduct& product, BandView<const S> a, BandView<const S> b);
/// The upper triangle of <a_i|b_j> where that is Hermitian, in little more than half the time; elements below the
/// diagonal are undefined. Collective.
template <class S>
[[nodiscard]] Matrix<S> upper_overlap(const InnerProduct& product, BandView<const S> a, BandView<const S> b);
/// overlap() summed in double precision, for bands in single precision that are nearly dependent. Slower. Collective.
template <class S>
[[nodiscard]] Matrix<DoubleOf<S>> overlap_in_double(const InnerProduct& product, BandView<const S> a,
                                                    BandView<const S> b);
/// <a_i|b_i> for each pair. Collective.
template <class S>
[[nodiscard]] std::vector<DoubleOf<S>> pair_overlaps(const InnerProduct& product, BandView<const S> a,
                                                     BandView<const S> b);
/// Real part of <a_i|b_i> for each pair. Collective.
template <class S>
[[nodiscard]] std::vector<double> diagonal_overlaps(const InnerProduct& product, BandView<const S> a,
                                                    BandView<const S> b);
/// Squared norm of each band. Collective.
template <class S>
[[nodiscard]] std::vector<double> squared_norms(const InnerProduct& product, BandView<const S> a);

}  // namespace wavegrid
