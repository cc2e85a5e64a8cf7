#include <algorithm>
#include <array>
#include <complex>
#include <functional>
#include <random>
#include <vector>

#include <wavegrid/base/aligned.hpp>
#include <wavegrid/base/thread_clock.hpp>
#include <wavegrid/fft/fftw_plan.hpp>
#include <wavegrid/fft/wisdom_check.hpp>

namespace wavegrid {

namespace {

template <class Real>
FftwPlan<Real> make(const RecalledPlan& kind, PlanEffort effort) {
  return {kind.shape, kind.direction, kind.in_place, effort};
}

/// Whether the plan of the wisdom takes longer than a new one; both are timed in turn, so that a disturbance strikes
/// both.
template <class Real>
bool is_contradicted(const RecalledPlan& kind, double contradiction) {
  const FftwPlan<Real> kept = make<Real>(kind, kind.effort);
  WithoutWisdom<Real> guard;
  const FftwPlan<Real> found = make<Real>(kind, PlanEffort::measure);  // `patient` would take too long
  AlignedVector<std::complex<Real>> in(kind.shape.in_size()), out(kind.in_place ? 0 : kind.shape.out_size());
  std::complex<Real>* const to = kind.in_place ? in.data() : out.data();
  const std::function<void()> by_kept = [&] { kept.run(in.data(), to); };
  const std::function<void()> by_found = [&] { found.run(in.data(), to); };
  const std::vector<double> times = least_times(std::array{by_kept, by_found}, {.sample = 1e-5, .total = 1e-3});
  const bool contradicted = times[0] > contradiction * times[1];
  if (contradicted) guard.keep_new();
  return contradicted;
}

}  // namespace

template <class Real>
bool wisdom_is_contradicted(double seconds, double contradiction) {
  std::vector<RecalledPlan> kinds = recalled_plans<Real>();
  std::shuffle(kinds.begin(), kinds.end(), std::minstd_rand(std::random_device()()));  // others in each run
  const double begin = thread_seconds();
  double longest = 0;
  for (const RecalledPlan& kind : kinds) {
    const double before = thread_seconds();
    if (before - begin + longest > seconds) return false;
    if (is_contradicted<Real>(kind, contradiction)) return true;
    longest = std::max(longest, thread_seconds() - before);
  }
  return false;
}

template bool wisdom_is_contradicted<float>(double, double);
template bool wisdom_is_contradicted<double>(double, double);

}  // namespace wavegrid
