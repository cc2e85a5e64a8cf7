// Third stage of the compact FFT: a tile of lines along z, from columns of the populated planes to the grid, and back.
#pragma once

#include <algorithm>
#include <complex>
#include <optional>
#include <vector>

#include <wavegrid/fft/batch_fft.hpp>
#include <wavegrid/fft/fft_layout.hpp>
#include <wavegrid/fft/lane_lines.hpp>

namespace wavegrid {

/// Rows of (my x, my y) that are transformed together: consecutive y of one x.
struct Tile {
  Index x = 0;  ///< local
  Index y = 0;  ///< local
  Index count = 0;
};

/// Turns sections (x, y, planes) into lines (y, nz) and transforms along z, a tile at a time: so few lines that they
/// stay in the first-level cache during their transform, the operation on the grid and the transform back.
///
/// In Gamma mode two bands share one complex transform: the lines hold a + i b, so that band a is the real and band b
/// the imaginary part on the grid. Planes gz < 0 follow from conj(a(gz)) + i conj(b(gz)).
template <class Real>
class LineStage {
 public:
  using Complex = std::complex<Real>;

  LineStage(const FftLayout& layout, PlanEffort effort);

  [[nodiscard]] Index tile() const { return tile_; }                    ///< lines per tile, the last one fewer
  [[nodiscard]] Index lines_size() const { return tile_ * line_row_; }  ///< elements of the lines of a tile
  [[nodiscard]] Index workspace() const {                               ///< and of the additional workspace
    return tile_ * line_row_ +
           std::max({backward_tile_.workspace(), forward_tile_.workspace(), backward_rest_.workspace(),
                     forward_rest_.workspace(), lanes_ ? lanes_->workspace() : 0});
  }

  /// Complex mode: rows of a section -> lines.
  void backward(const Complex* section, const Tile& tile, Complex* lines, Complex* work) const;
  void forward(Complex* lines, const Tile& tile, Complex* section, Complex* work) const;
  /// Gamma mode: rows of a pair of sections; b may be null for a band without a partner.
  void backward_pair(const Complex* a, const Complex* b, const Tile& tile, Complex* lines, Complex* work) const;
  void forward_pair(Complex* lines, const Tile& tile, Complex* a, Complex* b, Complex* work) const;

  /// Whether apply_potential() can be called: the transforms are those of LaneFft.
  [[nodiscard]] bool has_lanes() const { return lanes_.has_value(); }
  /// Both directions, and in between the product with the values of `potential` at the points of the tile. In Gamma
  /// mode b, which may be null, is the other band of the pair; in complex mode it is null.
  void apply_potential(Complex* a, Complex* b, const Tile& tile, const Real* potential, Complex* work) const {
    lanes_->apply_potential(a, b, tile.x * num_y_ + tile.y, tile.count, potential, work);
  }

 private:
  using Piece = LinePiece;
  [[nodiscard]] Index at(const Piece& piece, const Tile& tile, Index i) const {
    return piece.base + (tile.x * num_y_ + tile.y + i) * piece.row + piece.first;
  }
  [[nodiscard]] int mirror(int z) const { return z == 0 ? 0 : nz_ - z; }
  void clear_gap(const Tile& tile, Complex* lines) const;
  void transform(const Tile& tile, FftDirection direction, Complex* in, Complex* out, Complex* work) const;

  Index num_y_, line_row_, tile_;
  int nz_;
  bool fixed_;  ///< always whole tiles, unused lines set to zero: one plan for any layout
  std::vector<Piece> pieces_;
  Range gap_;  ///< z that no plane fills
  BatchFft<Real> backward_tile_, forward_tile_, backward_rest_, forward_rest_;
  std::optional<LaneLines<Real>> lanes_;
};

}  // namespace wavegrid
