// The third stage of the compact FFT and the product with the potential, with a line in each lane of a vector register.
#pragma once

#include <complex>
#include <vector>

#include <wavegrid/fft/lane_fft.hpp>

namespace wavegrid {

/// Consecutive planes of one sender that have consecutive z.
struct LinePiece {
  Index base, row;  ///< of the sender's segment
  Index first;      ///< of its planes
  int z, length;
};

/// Lines along z of a tile: from rows of the populated planes to the grid, times a real function, and back to the same
/// rows. Lines are never stored one after the other, as operations of callers on the grid need them.
template <class Real>
class LaneLines {
 public:
  using Complex = std::complex<Real>;

  /// The pieces of a line, z rising in each; z that no piece fills hold 0.
  LaneLines(int nz, bool pairs, std::vector<LinePiece> pieces);

  /// Elements of workspace, aligned to 64 bytes, that apply_potential() needs.
  [[nodiscard]] Index workspace() const;
  /// For `count` lines from `line` on: rows of a section, or of the sections of a pair of bands in Gamma mode, where b
  /// may be null, are replaced. `potential` is that of the first line, with nz values for each.
  void apply_potential(Complex* a, Complex* b, Index line, Index count, const Real* potential, Complex* work) const;

 private:
  int nz_;
  bool pairs_;
  std::vector<LinePiece> pieces_;
  std::vector<int> empty_;  ///< z that no piece fills
  LaneFft<Real> fft_;
};

}  // namespace wavegrid
