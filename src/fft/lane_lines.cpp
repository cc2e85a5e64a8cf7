#include <algorithm>
#include <utility>

#include <wavegrid/fft/lane_lines.hpp>
#include <wavegrid/fft/lane_vectors.hpp>
#include <wavegrid/layout/block_layout.hpp>

namespace wavegrid {

namespace {

template <class Real>
Real* reals_of(std::complex<Real>* c) {
  return reinterpret_cast<Real*>(c);
}

// Elements of lines are two vectors, the real and the imaginary parts.

/// Bands a and b of a piece as lines a + i b, and conj(a) + i conj(b) at the mirror images, unless a plane is its own.
template <class Real>
void pack(const Lanes<Real>* a, const Lanes<Real>* b, int length, Lanes<Real>* up, Lanes<Real>* down) {
  for (int j = 0; j < 2 * length; j += 2) {
    up[j] = a[j] - b[j + 1];
    up[j + 1] = a[j + 1] + b[j];
    if (up == down) continue;
    down[-j] = a[j] + b[j + 1];
    down[1 - j] = b[j] - a[j + 1];
  }
}
template <class Real>
void unpack(const Lanes<Real>* up, const Lanes<Real>* down, int length, Lanes<Real>* a, Lanes<Real>* b) {
  constexpr Real half = Real(0.5);
  for (int j = 0; j < 2 * length; j += 2) {
    a[j] = half * (up[j] + down[-j]);
    a[j + 1] = half * (up[j + 1] - down[1 - j]);
    b[j] = half * (up[j + 1] + down[1 - j]);
    b[j + 1] = half * (down[-j] - up[j]);
  }
}

}  // namespace

template <class Real>
LaneLines<Real>::LaneLines(int nz, bool pairs, std::vector<LinePiece> pieces)
    : nz_(nz), pairs_(pairs), pieces_(std::move(pieces)), fft_({nz}, FftDirection::backward) {
  std::vector<bool> filled(static_cast<std::size_t>(nz));
  for (const LinePiece& piece : pieces_)
    for (int z = piece.z; z < piece.z + piece.length; ++z) {
      filled[static_cast<std::size_t>(z)] = true;
      if (pairs_) filled[static_cast<std::size_t>((nz - z) % nz)] = true;
    }
  for (int z = 0; z < nz; ++z)
    if (!filled[static_cast<std::size_t>(z)]) empty_.push_back(z);
}

/// Two sets of lines, the potential, and pieces of two bands.
template <class Real>
Index LaneLines<Real>::workspace() const {
  return ceil_div((4 + 1 + 4) * Index{nz_} * num_lanes<Real>, Index{2});
}

template <class Real>
void LaneLines<Real>::apply_potential(Complex* a, Complex* b, Index line, Index lines, const Real* potential,
                                      Complex* work) const {
  constexpr int lanes = num_lanes<Real>;
  auto* const first = reinterpret_cast<Lanes<Real>*>(work);
  Lanes<Real>*const second = first + 2 * nz_, *const factors = second + 2 * nz_, *const a_lanes = factors + nz_,
                    *const b_lanes = a_lanes + 2 * nz_;
  const auto mirror = [&](int z) { return 2 * (z == 0 ? 0 : nz_ - z); };
  const auto transform = [&](FftDirection direction, Lanes<Real>* from, Lanes<Real>* other) {
    return reinterpret_cast<Lanes<Real>*>(
        fft_.run_lanes(direction, reinterpret_cast<Real*>(from), reinterpret_cast<Real*>(other)));
  };
  for (Index done = 0; done < lines; done += lanes) {
    const int count = static_cast<int>(std::min<Index>(lanes, lines - done));
    const auto row = [&](Complex* band, const LinePiece& piece) {
      return reals_of(band + piece.base + (line + done) * piece.row + piece.first);
    };
    for (const int z : empty_) first[2 * z] = first[2 * z + 1] = Lanes<Real>{};
    for (const LinePiece& piece : pieces_) {
      const int reals = 2 * piece.length;
      Lanes<Real>* const up = first + 2 * piece.z;
      lanes_from_rows<Real>(row(a, piece), 2 * piece.row, count, reals, pairs_ ? a_lanes : up);
      if (!pairs_) continue;
      if (b)
        lanes_from_rows<Real>(row(b, piece), 2 * piece.row, count, reals, b_lanes);
      else
        std::fill_n(b_lanes, reals, Lanes<Real>{});
      pack<Real>(a_lanes, b_lanes, piece.length, up, first + mirror(piece.z));
    }
    lanes_from_rows<Real>(potential + done * nz_, nz_, count, nz_, factors);
    Lanes<Real>* const values = transform(FftDirection::backward, first, second);
    for (int z = 0; z < nz_; ++z) values[2 * z] *= factors[z], values[2 * z + 1] *= factors[z];
    const Lanes<Real>* const result = transform(FftDirection::forward, values, values == first ? second : first);
    for (const LinePiece& piece : pieces_) {
      const int reals = 2 * piece.length;
      const Lanes<Real>* const up = result + 2 * piece.z;
      if (pairs_) unpack<Real>(up, result + mirror(piece.z), piece.length, a_lanes, b_lanes);
      lanes_to_rows<Real>(pairs_ ? a_lanes : up, reals, count, row(a, piece), 2 * piece.row);
      if (pairs_ && b) lanes_to_rows<Real>(b_lanes, reals, count, row(b, piece), 2 * piece.row);
    }
  }
}

template class LaneLines<float>;
template class LaneLines<double>;

}  // namespace wavegrid
