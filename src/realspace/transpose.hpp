// Transposes of blocks of bands: points fastest, as the solvers have them, and states fastest, as stencils want them.
#pragma once

#include <algorithm>

#include <wavegrid/fft/lane_vectors.hpp>
#include <wavegrid/linalg/bands.hpp>
#include <wavegrid/linalg/scalar.hpp>

namespace wavegrid {

/// out[column * out_row + row] = in[row * in_row + column]. Local.
template <class S>
void transpose(const S* in, Index in_row, Index rows, Index columns, S* out, Index out_row) {
  Index square_rows = 0, square_columns = 0;
  if constexpr (ScalarTraits<S>::is_real) {
    constexpr Index n = num_lanes<S>;
    square_rows = rows / n * n;
    square_columns = columns / n * n;
    for (Index c = 0; c < square_columns; c += n)
      for (Index r = 0; r < square_rows; r += n) {
        Lanes<S> square[n];  // NOLINT(modernize-avoid-c-arrays)
#pragma GCC unroll 8
        for (Index i = 0; i < n; ++i) square[i] = load_lanes(in + (r + i) * in_row + c);
        transpose_lanes<S>(square);
#pragma GCC unroll 8
        for (Index i = 0; i < n; ++i) store_lanes(square[i], out + (c + i) * out_row + r);
      }
  }
  for (Index r = 0; r < rows; ++r)
    for (Index c = r < square_rows ? square_columns : 0; c < columns; ++c) out[c * out_row + r] = in[r * in_row + c];
}

/// Points of a block of bands that are transposed together: they stay in the first cache.
inline constexpr Index transposed_points = 256;

/// out[point * bands.count + band]. Local.
template <class S>
void to_states_fastest(BandView<const S> bands, S* out) {
  for (Index begin = 0; begin < bands.rows; begin += transposed_points)
    transpose(bands.data + begin, bands.rows, bands.count, std::min(transposed_points, bands.rows - begin),
              out + begin * bands.count, bands.count);
}

/// The bands of in[point * bands.count + band]. Local.
template <class S>
void to_points_fastest(const S* in, BandView<S> bands) {
  for (Index begin = 0; begin < bands.rows; begin += transposed_points)
    transpose(in + begin * bands.count, bands.count, std::min(transposed_points, bands.rows - begin), bands.count,
              bands.data + begin, bands.rows);
}

}  // namespace wavegrid
