// The yardstick: FFTW's dense in-place complex transform of the whole grid and back, one rank, one thread.
#pragma once

#include <fftw3.h>

#include <complex>

#include <wavegrid/base/aligned.hpp>

namespace wavegrid::bench {

class DensePair {
 public:
  explicit DensePair(int n);
  ~DensePair();
  DensePair(const DensePair&) = delete;
  DensePair& operator=(const DensePair&) = delete;

  /// Fills the grid with finite numbers: each pair multiplies them by the number of points.
  void refill();
  void run();

 private:
  AlignedVector<std::complex<double>> grid_;
  fftw_plan backward_, forward_;
};

}  // namespace wavegrid::bench
