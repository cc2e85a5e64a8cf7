// Third stage of the compact FFT: columns of one x to lines along z on the whole grid, and back.
#pragma once

#include <complex>
#include <vector>

#include "fft/fft_layout.hpp"
#include "fft/fftw_plan.hpp"

namespace wavegrid {

/// Turns (all planes, my y) into (my y, nz) lines and transforms along z.
///
/// In Gamma mode two bands share one complex transform: the lines hold a + i b, so that band a is the real and band b
/// the imaginary part on the grid. Planes gz < 0 follow from conj(a(gz)) + i conj(b(gz)).
template <class Real>
class LineStage {
 public:
  using Complex = std::complex<Real>;

  LineStage(const FftLayout& layout, PlanEffort effort);

  /// Complex mode: section -> lines.
  void backward(const Complex* section, Complex* lines) const;
  void forward(Complex* lines, Complex* section) const;
  /// Gamma mode: a pair of sections; b may be null for a band without a partner.
  void backward_pair(const Complex* a, const Complex* b, Complex* lines) const;
  void forward_pair(Complex* lines, Complex* a, Complex* b) const;

 private:
  Index num_lines_, section_row_, line_row_;
  int nz_;
  std::vector<int> planes_;
  FftwPlan<Real> backward_, forward_;
};

}  // namespace wavegrid
