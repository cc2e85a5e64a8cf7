// Rows of coefficients, one for each band, to vectors with a number of each band, and back. Everything here is local to
// the file that includes it.
#pragma once

#include <wavegrid/fft/band_lanes_vector.hpp>

namespace wavegrid {
namespace {

/// `reals` numbers of each of `count` rows become the lanes of as many vectors; lanes without a row repeat row 0. After
/// `period` lanes the rows begin anew.
template <class Real, int lanes, int period = lanes>
void rows_to_lanes(const Real* rows, Index distance, int count, Index reals, Real* out) {
  const auto row = [&](int lane) { return rows + (lane % period < count ? lane % period : 0) * distance; };
  if (reals < lanes) {
    for (Index c = 0; c < reals; ++c)
      for (int i = 0; i < lanes; ++i) out[c * lanes + i] = row(i)[c];
    return;
  }
  for (Index next = 0; next < reals; next += lanes) {  // the last square overlaps the one before
    const Index c = next + lanes <= reals ? next : reals - lanes;
    Vector<Real, lanes> square[lanes];  // NOLINT(modernize-avoid-c-arrays)
#pragma GCC unroll 16
    for (int i = 0; i < lanes; ++i) square[i] = load<lanes>(row(i) + c);
    transpose<Real, lanes>(square);
#pragma GCC unroll 16
    for (int i = 0; i < lanes; ++i) store<lanes>(square[i], out + (c + i) * lanes);
  }
}
/// The first `count` lanes, times `scale`, become rows.
template <class Real, int lanes>
void lanes_to_rows(const Real* in, Index reals, int count, Real scale, Real* rows, Index distance) {
  if (reals < lanes) {
    for (Index c = 0; c < reals; ++c)
      for (int i = 0; i < count; ++i) rows[i * distance + c] = scale * in[c * lanes + i];
    return;
  }
  for (Index next = 0; next < reals; next += lanes) {
    const Index c = next + lanes <= reals ? next : reals - lanes;
    Vector<Real, lanes> square[lanes];  // NOLINT(modernize-avoid-c-arrays)
#pragma GCC unroll 16
    for (int i = 0; i < lanes; ++i) square[i] = load<lanes>(in + (c + i) * lanes) * scale;
    transpose<Real, lanes>(square);
#pragma GCC unroll 16
    for (int i = 0; i < lanes; ++i)
      if (i < count) store<lanes>(square[i], rows + i * distance + c);
  }
}

}  // namespace
}  // namespace wavegrid
