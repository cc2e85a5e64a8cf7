// Second stage of the compact FFT: arrived sticks of one x to y-transformed columns, and back.
#pragma once

#include <complex>
#include <vector>

#include "fft/fft_layout.hpp"
#include "fft/fftw_plan.hpp"

namespace wavegrid {

/// Spreads the sticks of one x over columns along y, one column per populated plane iz, and transforms along y.
/// In Gamma mode the plane gz = 0 holds half of its sticks; the others are their complex conjugates.
template <class Real>
class PlaneStage {
 public:
  using Complex = std::complex<Real>;

  PlaneStage(const FftLayout& layout, PlanEffort effort);

  /// sticks (arrived sticks) -> columns (my planes, y_row).
  void backward(const Complex* sticks, Complex* columns) const;
  /// columns -> sticks; `columns` is overwritten.
  void forward(Complex* columns, Complex* sticks) const;

 private:
  Index size_;
  std::vector<Index> place_;  ///< where each arrived stick stands among the columns
  struct Mirror {
    Index from, to;
  };
  std::vector<Mirror> mirrors_;  ///< columns elements that are conjugates of others
  FftwPlan<Real> backward_, forward_;
};

}  // namespace wavegrid
