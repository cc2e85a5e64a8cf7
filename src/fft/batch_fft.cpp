#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <mutex>

#include <wavegrid/base/aligned.hpp>
#include <wavegrid/base/thread_clock.hpp>
#include <wavegrid/fft/batch_fft.hpp>
#include <wavegrid/fft/wisdom.hpp>

namespace wavegrid {

namespace {

enum class Choice { measured, estimated, lanes };

constexpr TimingOptions short_time{.sample = 1e-5, .total = 4e-4};  // a run has some dozens of kinds of batches

/// FFTW's estimate, whatever it has measured.
template <class Real>
FftwPlan<Real> estimated_plan(const FftShape& shape, FftDirection direction) {
  const WithoutWisdom<Real> guard;
  return {shape, direction, false, PlanEffort::estimate};
}

/// A new measurement in place of all wisdom.
template <class Real>
FftwPlan<Real> measured_again(const FftShape& shape, FftDirection direction, PlanEffort effort) {
  WithoutWisdom<Real> guard;
  guard.drop();
  return {shape, direction, false, effort};
}

/// The plan with the least time of all that can do a batch. A plan that FFTW measured, perhaps in another run, and that
/// takes clearly longer than its estimate was measured in a bad moment: then all of its wisdom is dropped.
template <class Real>
class Comparison {
 public:
  Comparison(const FftShape& shape, FftDirection direction, PlanEffort effort)
      : in_(shape.in_size()), out_(shape.out_size()) {
    for (std::size_t i = 0; i < in_.size(); ++i) in_[i] = std::sin(static_cast<Real>(i));
    measured_ = FftwPlan<Real>(shape, direction, false, effort);
    const FftwPlan<Real> estimated = estimated_plan<Real>(shape, direction);
    add(Choice::measured, [&] { measured_.run(in_.data(), out_.data()); });
    add(Choice::estimated, [&] { estimated.run(in_.data(), out_.data()); });
    if (LaneFft<Real>::handles(shape)) {
      lanes_.emplace(shape, direction);
      work_.resize(static_cast<std::size_t>(lanes_->workspace()));
      add(Choice::lanes, [&] { lanes_->run(in_.data(), out_.data(), work_.data()); });
    }
    std::vector<double> seconds = least_times(candidates_, short_time);
    constexpr double clearly = 1.2;
    if (seconds[0] > clearly * seconds[1]) {
      measured_ = measured_again<Real>(shape, direction, effort);
      seconds = least_times(candidates_, short_time);
    }
    best_ = choices_[static_cast<std::size_t>(std::min_element(seconds.begin(), seconds.end()) - seconds.begin())];
  }
  [[nodiscard]] Choice best() const { return best_; }

 private:
  void add(Choice choice, std::function<void()> call) {
    choices_.push_back(choice);
    candidates_.push_back(std::move(call));
  }

  AlignedVector<std::complex<Real>> in_, out_, work_;
  FftwPlan<Real> measured_;
  std::optional<LaneFft<Real>> lanes_;
  std::vector<Choice> choices_;
  std::vector<std::function<void()>> candidates_;
  Choice best_ = Choice::measured;
};

/// Batches that differ only in the distance of columns share a choice, so that the same transforms have the same bits
/// for all bands of a process.
template <class Real>
Choice best_choice(const FftShape& shape, FftDirection direction, PlanEffort effort) {
  static std::mutex guard;
  static std::map<std::array<int, 5>, Choice> known;
  const std::array<int, 5> kind{shape.n, shape.count, shape.in_stride == 1, shape.out_stride == 1,
                                static_cast<int>(direction)};
  const std::lock_guard lock(guard);
  const auto [choice, is_new] = known.try_emplace(kind, Choice::measured);
  if (is_new) choice->second = Comparison<Real>(shape, direction, effort).best();
  return choice->second;
}

}  // namespace

template <class Real>
BatchFft<Real>::BatchFft(const FftShape& shape, FftDirection direction, PlanEffort effort) {
  const bool measures = effort == PlanEffort::measure || effort == PlanEffort::patient;
  const Choice choice = measures && shape.count > 0 ? best_choice<Real>(shape, direction, effort) : Choice::measured;
  if (choice == Choice::lanes)
    lanes_.emplace(shape, direction);
  else
    fftw_ = choice == Choice::estimated ? estimated_plan<Real>(shape, direction)
                                        : FftwPlan<Real>(shape, direction, false, effort);
}

template class BatchFft<float>;
template class BatchFft<double>;

}  // namespace wavegrid
