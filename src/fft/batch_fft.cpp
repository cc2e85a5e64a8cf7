#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include <wavegrid/base/aligned.hpp>
#include <wavegrid/base/thread_clock.hpp>
#include <wavegrid/fft/batch_fft.hpp>

namespace wavegrid {

namespace {

template <class Real>
bool lanes_are_faster(const FftShape& shape, const FftwPlan<Real>& fftw, const LaneFft<Real>& lanes) {
  AlignedVector<std::complex<Real>> in(shape.in_size()), out(shape.out_size()),
      work(static_cast<std::size_t>(lanes.workspace()));
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = std::sin(static_cast<Real>(i));
  const std::function<void()> by_fftw = [&] { fftw.run(in.data(), out.data()); };
  const std::function<void()> by_lanes = [&] { lanes.run(in.data(), out.data(), work.data()); };
  // A run has some dozens of kinds of batches.
  const std::vector<double> seconds = least_times(std::array{by_fftw, by_lanes}, {.sample = 1e-5, .total = 4e-4});
  return seconds[1] < seconds[0];
}

}  // namespace

template <class Real>
BatchFft<Real>::BatchFft(const FftShape& shape, FftDirection direction, PlanEffort effort) {
  const auto plan = [&] { return FftwPlan<Real>(shape, direction, false, effort); };
  const bool measures = effort == PlanEffort::measure || effort == PlanEffort::patient;
  if (!measures || shape.count == 0 || !LaneFft<Real>::handles(shape)) {
    fftw_ = plan();
    return;
  }
  // Batches that differ only in the distance of columns share a decision, so that the same transforms have the same
  // bits for all bands of a process.
  static std::mutex guard;
  static std::map<std::array<int, 5>, bool> known;
  const std::array<int, 5> kind{shape.n, shape.count, shape.in_stride == 1, shape.out_stride == 1,
                                static_cast<int>(direction)};
  LaneFft<Real> lanes(shape, direction);
  const std::lock_guard lock(guard);
  auto decision = known.find(kind);
  if (decision == known.end() || !decision->second) fftw_ = plan();
  if (decision == known.end()) decision = known.emplace(kind, lanes_are_faster(shape, fftw_, lanes)).first;
  if (!decision->second) return;
  lanes_ = std::move(lanes);
  fftw_ = {};
}

template class BatchFft<float>;
template class BatchFft<double>;

}  // namespace wavegrid
