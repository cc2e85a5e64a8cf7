// Batched 1-D FFTs by FFTW or by our own vectorised kernels, whichever takes less time.
#pragma once

#include <complex>
#include <optional>

#include <wavegrid/fft/fftw_plan.hpp>
#include <wavegrid/fft/lane_fft.hpp>

namespace wavegrid {

/// A planned batch of 1-D complex transforms out of place. With the efforts `measure` and `patient` both libraries are
/// timed, once per process for each kind of batch, by the least of interleaved samples on the clock of the thread;
/// otherwise it is FFTW's. The two round differently, so that the bits of a run depend on these times.
///
/// Batches may be planned and executed by several threads at once.
template <class Real>
class BatchFft {
 public:
  using Complex = std::complex<Real>;

  BatchFft() = default;
  BatchFft(const FftShape& shape, FftDirection direction, PlanEffort effort);

  /// Elements of workspace, aligned to 64 bytes, that run() needs.
  [[nodiscard]] Index workspace() const { return lanes_ ? lanes_->workspace() : 0; }
  /// Whether LaneFft transforms.
  [[nodiscard]] bool has_lanes() const { return lanes_.has_value(); }
  void run(Complex* in, Complex* out, Complex* work) const { lanes_ ? lanes_->run(in, out, work) : fftw_.run(in, out); }

 private:
  FftwPlan<Real> fftw_;
  std::optional<LaneFft<Real>> lanes_;
};

}  // namespace wavegrid
