#include "dense_pair.hpp"

#include <algorithm>
#include <vector>

#include <wavegrid/base/thread_clock.hpp>

namespace wavegrid::bench {

DensePair::DensePair(int n) : grid_(static_cast<std::size_t>(n) * static_cast<std::size_t>(n * n), 0) {
  backward_ = fastest(n, FFTW_BACKWARD);
  forward_ = fastest(n, FFTW_FORWARD);
}

/// Plans that do not know of each other, two of them by FFTW_PATIENT where that takes seconds: a quarter faster than
/// those by FFTW_MEASURE for 24, 27, 30, 36 and 48.
DensePair::Plan DensePair::fastest(int n, int sign) {
  auto* const data = reinterpret_cast<fftw_complex*>(grid_.data());
  constexpr int most_patient = 48;
  std::vector<Plan> plans;
  std::vector<std::function<void()>> candidates;
  for (const unsigned effort : {FFTW_MEASURE, FFTW_MEASURE, FFTW_PATIENT, FFTW_PATIENT}) {
    if (effort == FFTW_PATIENT && n > most_patient) continue;
    fftw_forget_wisdom();
    plans.emplace_back(fftw_plan_dft_3d(n, n, n, data, data, sign, effort));
    std::fill(grid_.begin(), grid_.end(), 0);
    candidates.emplace_back([plan = plans.back().get()] { fftw_execute(plan); });
  }
  fftw_forget_wisdom();
  const std::vector<double> seconds = least_times(candidates, {.total = 0.05});
  const auto best = std::min_element(seconds.begin(), seconds.end()) - seconds.begin();
  return std::move(plans[static_cast<std::size_t>(best)]);
}

void DensePair::run() {
  fftw_execute(backward_.get());
  fftw_execute(forward_.get());
}

}  // namespace wavegrid::bench
