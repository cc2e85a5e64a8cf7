// The yardstick: FFTW's dense in-place complex transform of the whole grid and back, one rank, one thread.
#pragma once

#include <fftw3.h>

#include <complex>
#include <functional>
#include <memory>

#include <wavegrid/base/aligned.hpp>

namespace wavegrid::bench {

/// The fastest of several plans: what the planner measures in a slow moment would be a yardstick that is too long.
class DensePair {
 public:
  explicit DensePair(int n);

  /// The grid holds zeros, as any other numbers would grow by the number of points in each pair.
  void run();

 private:
  struct Destroy {
    void operator()(fftw_plan_s* plan) const { fftw_destroy_plan(plan); }
  };
  using Plan = std::unique_ptr<fftw_plan_s, Destroy>;
  [[nodiscard]] Plan fastest(int n, int sign);

  AlignedVector<std::complex<double>> grid_;
  Plan backward_, forward_;
};

}  // namespace wavegrid::bench
