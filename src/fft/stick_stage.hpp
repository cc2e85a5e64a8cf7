// First stage of the compact FFT: plane-wave coefficients to transformed x-sticks, and back.
#pragma once

#include <complex>
#include <vector>

#include "base/aligned.hpp"
#include "fft/fft_layout.hpp"
#include "fft/fftw_plan.hpp"

namespace wavegrid {

/// Scatters coefficients onto x-sticks and transforms along x. Sticks go in blocks whose transposition to
/// (x, stick) is done by FFTW's output strides, so that no separate pass over memory is needed.
template <class Real>
class StickStage {
 public:
  using Complex = std::complex<Real>;

  StickStage(const GSphere& sphere, const FftLayout& layout, PlanEffort effort);

  /// Elements of workspace that one call needs.
  [[nodiscard]] Index workspace() const { return block * row_; }
  /// psi (plane waves) -> sticks (nx, stick_row).
  void backward(const Complex* psi, Complex* sticks, Complex* work) const;
  /// sticks -> psi, multiplied by `scale`; `sticks` is not changed.
  void forward(Complex* sticks, Complex* psi, Complex* work, Real scale) const;

 private:
  static constexpr Index block = 8;  ///< sticks per transform call
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
  Index row_;        ///< padded line length in the workspace
  Index stick_row_;  ///< elements from x to x + 1
  std::vector<Stick> sticks_;
  FftwPlan<Real> backward_block_, forward_block_, backward_rest_, forward_rest_;
};

}  // namespace wavegrid
