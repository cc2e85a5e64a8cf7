// Second stage of the compact FFT: arrived sticks of one x to y-transformed columns, and back.
#pragma once

#include <complex>
#include <vector>

#include <wavegrid/fft/fft_layout.hpp>
#include <wavegrid/fft/row_transform.hpp>

namespace wavegrid {

/// Spreads the sticks of one x over rows along y, one per populated plane iz, and transforms along y, to (y, plane). In
/// Gamma mode the plane gz = 0 has half of its sticks; the others are their complex conjugates.
template <class Real>
class PlaneStage {
 public:
  using Complex = std::complex<Real>;

  PlaneStage(const FftLayout& layout, PlanEffort effort);

  /// Elements of workspace that one call needs.
  [[nodiscard]] Index workspace() const { return rows_.workspace(); }
  /// The sticks of local x (as they arrived) -> columns (ny, plane_row).
  void backward(const Complex* arrived, Index x, Complex* columns, Complex* work) const;
  /// columns -> the sticks of local x; `columns` is not changed.
  void forward(const Complex* columns, Complex* arrived, Index x, Complex* work) const;

 private:
  /// Consecutive sticks of one sender that have consecutive y.
  struct Piece {
    Index base, row;  ///< of the sender's segment
    Index first;      ///< of its sticks
    int y, length;
    [[nodiscard]] Index at(Index x) const { return base + x * row + first; }
  };
  struct Plane {
    std::vector<Piece> pieces;
    Range gap;  ///< range of all y without a stick (it may contain y with a stick)
    bool mirrored = false;
  };

  void append(Plane& plane, const Segment& segment, Index index, int y) const;

  int ny_;
  std::vector<Plane> planes_;
  RowTransform<Real> rows_;
};

}  // namespace wavegrid
