#include <algorithm>
#include <cmath>
#include <limits>

#include <wavegrid/linalg/band_products.hpp>
#include <wavegrid/linalg/overlap.hpp>
#include <wavegrid/linalg/rotate.hpp>

namespace wavegrid {

template <class S>
void rotate(const InnerProduct& product, BandView<const S> in, const Matrix<S>& c, BandView<S> out, bool add) {
  const Index ld = std::max<Index>(in.rows, 1);
  product.for_pieces(in.rows, ld, [&](Range rows) {
    combine_columns<S>(rows.size(), out.count, in.count, in.data + rows.begin, ld, c.data(),
                       std::max<Index>(c.rows(), 1), add, out.data + rows.begin, ld);
  });
}

template <class S>
void rotate_in_place(const InnerProduct& product, BandView<S> bands, const Matrix<S>& c) {
  AlignedVector<S> part(static_cast<std::size_t>(std::min(rotated_rows, bands.rows) * c.columns()));
  product.for_pieces(bands.rows, rotated_rows, [&](Range piece) {
    const Index first = piece.begin, rows = piece.size();
    combine_columns<S>(rows, c.columns(), c.rows(), bands.data + first, bands.rows, c.data(), c.rows(), false,
                       part.data(), rows);
    for (Index b = 0; b < c.columns(); ++b) std::copy_n(part.data() + b * rows, rows, bands.band(b) + first);
  });
}

template <class S>
void add_scaled(BandView<const S> x, const S* factors, BandView<S> y) {
#pragma omp parallel for schedule(static)
  for (Index b = 0; b < x.count; ++b) {
    const S* const from = x.band(b);
    S* const to = y.band(b);
    const S factor = factors[b];
    for (Index i = 0; i < x.rows; ++i) to[i] += factor * from[i];
  }
}

template <class S>
void divide_by_norms(const std::vector<double>& squared_norms, BandView<S> bands) {
#pragma omp parallel for schedule(static)
  for (Index b = 0; b < bands.count; ++b) {
    const double least = std::numeric_limits<RealOf<S>>::min();
    const auto scale =
        static_cast<RealOf<S>>(1.0 / std::sqrt(std::max(squared_norms[static_cast<std::size_t>(b)], least)));
    for (Index i = 0; i < bands.rows; ++i) bands.band(b)[i] *= scale;
  }
}

template <class S>
void normalise(const InnerProduct& product, BandView<S> bands) {
  divide_by_norms<S>(squared_norms<S>(product, bands), bands);
}

template <class S>
void project_off(const InnerProduct& product, BandView<const S> q, BandView<const S> s, BandView<S> bands) {
  if (q.count == 0) return;
  Matrix<S> c = overlap<S>(product, s, bands);
  for (Index i = 0; i < c.size(); ++i) c.data()[i] = -c.data()[i];
  rotate<S>(product, q, c, bands, true);
}

#define WAVEGRID_INSTANTIATE(S)                                                                         \
  template void rotate<S>(const InnerProduct&, BandView<const S>, const Matrix<S>&, BandView<S>, bool); \
  template void rotate_in_place<S>(const InnerProduct&, BandView<S>, const Matrix<S>&);                 \
  template void add_scaled<S>(BandView<const S>, const S*, BandView<S>);                                \
  template void divide_by_norms<S>(const std::vector<double>&, BandView<S>);                            \
  template void normalise<S>(const InnerProduct&, BandView<S>);                                         \
  template void project_off<S>(const InnerProduct&, BandView<const S>, BandView<const S>, BandView<S>);
WAVEGRID_FOR_ALL_SCALARS(WAVEGRID_INSTANTIATE)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
