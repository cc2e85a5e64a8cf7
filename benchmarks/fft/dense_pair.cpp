#include "dense_pair.hpp"

#include <algorithm>

namespace wavegrid::bench {

DensePair::DensePair(int n) : grid_(static_cast<std::size_t>(n) * static_cast<std::size_t>(n * n)) {
  auto* const data = reinterpret_cast<fftw_complex*>(grid_.data());
  backward_ = fftw_plan_dft_3d(n, n, n, data, data, FFTW_BACKWARD, FFTW_MEASURE);
  forward_ = fftw_plan_dft_3d(n, n, n, data, data, FFTW_FORWARD, FFTW_MEASURE);
}

DensePair::~DensePair() {
  fftw_destroy_plan(backward_);
  fftw_destroy_plan(forward_);
}

void DensePair::refill() { std::fill(grid_.begin(), grid_.end(), 0.5); }

void DensePair::run() {
  fftw_execute(backward_);
  fftw_execute(forward_);
}

}  // namespace wavegrid::bench
