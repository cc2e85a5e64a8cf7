#include <array>
#include <cmath>
#include <map>
#include <mutex>

#include <wavegrid/base/aligned.hpp>
#include <wavegrid/fft/batch_fft.hpp>
#include <wavegrid/fft/time_of_call.hpp>

namespace wavegrid {

namespace {

template <class Real>
bool lanes_are_faster(const FftShape& s, const FftwPlan<Real>& fftw, const LaneFft<Real>& lanes) {
  AlignedVector<std::complex<Real>> in(s.in_size()), out(s.out_size()),
      work(static_cast<std::size_t>(lanes.workspace()));
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = std::sin(static_cast<Real>(i));
  const double by_fftw = time_of_call([&] { fftw.run(in.data(), out.data()); });
  return time_of_call([&] { lanes.run(in.data(), out.data(), work.data()); }) < by_fftw;
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
