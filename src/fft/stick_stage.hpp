// First stage of the compact FFT: plane-wave coefficients to transformed x-sticks, and back.
#pragma once

#include <complex>
#include <vector>

#include <wavegrid/fft/fft_layout.hpp>
#include <wavegrid/fft/row_transform.hpp>

namespace wavegrid {

/// Scatters coefficients onto x-sticks and transforms along x, to (x, stick).
template <class Real>
class StickStage {
 public:
  using Complex = std::complex<Real>;

  StickStage(const GSphere& sphere, const FftLayout& layout, PlanEffort effort);

  /// Elements of workspace that one call needs.
  [[nodiscard]] Index workspace() const { return rows_.workspace(); }
  /// psi (plane waves) -> sticks (nx, stick_row).
  void backward(const Complex* psi, Complex* sticks, Complex* work) const;
  /// sticks -> psi, multiplied by `scale`; `sticks` is not changed.
  void forward(const Complex* sticks, Complex* psi, Complex* work, Real scale) const;

 private:
  /// The coefficients of a stick as at most two pieces of the grid line: gx >= 0 from 0 up, gx < 0 at the end.
  struct Stick {
    Index first;                         ///< index of the first coefficient
    int negative;                        ///< how many have gx < 0
    int positive;                        ///< how many have gx >= 0
    int start_negative, start_positive;  ///< grid indices
    bool mirrored;                       ///< stick (0, 0) of the half sphere: gx < 0 follows from gx > 0
  };

  void scatter(const Stick& stick, const Complex* psi, Complex* line) const;
  void gather(const Stick& stick, const Complex* line, Complex* psi, Real scale) const;

  int nx_;
  std::vector<Stick> sticks_;
  RowTransform<Real> rows_;
};

}  // namespace wavegrid
