#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <complex>
#include <functional>
#include <limits>
#include <vector>

#include <wavegrid/base/aligned.hpp>
#include <wavegrid/base/thread_clock.hpp>
#include <wavegrid/calculation/machine_rates.hpp>
#include <wavegrid/fft/band_lanes_fft.hpp>
#include <wavegrid/fft/fftw_plan.hpp>
#include <wavegrid/linalg/lapack.hpp>

namespace wavegrid {

namespace {

constexpr int samples = 8;

/// Seconds of the fastest call.
template <class Call>
double fastest(const Call& call) {
  using Clock = std::chrono::steady_clock;
  double best = std::numeric_limits<double>::max();
  for (int sample = 0; sample <= samples; ++sample) {
    const auto began = Clock::now();
    call();
    const double seconds = std::chrono::duration<double>(Clock::now() - began).count();
    if (sample > 0) best = std::min(best, seconds);  // the first one loads pages and caches
  }
  return best;
}

double fft_rate() {
  constexpr int n = 48, count = 512;
  AlignedVector<std::complex<double>> values(std::size_t{n} * count, {1.0, 0.5});
  const FftwPlan<double> plan(FftShape{n, count, 1, n, 1, n}, FftDirection::backward, true, PlanEffort::estimate);
  const double seconds = fastest([&] {
    std::fill(values.begin(), values.end(), std::complex<double>(1.0, 0.5));
    plan.run(values.data(), values.data());
  });
  return 5.0 * n * std::log2(n) * count / seconds;
}

double gemm_rate() {
  constexpr Index m = 128, k = 1024;
  const std::vector<double> a(m * k, 0.5), b(m * k, 0.25);
  std::vector<double> c(m * m);
  const double seconds =
      fastest([&] { lapack::gemm<double>('T', 'N', m, m, k, 1.0, a.data(), k, b.data(), k, 0.0, c.data(), m); });
  return 2.0 * static_cast<double>(m * m * k) / seconds;
}

}  // namespace

MachineRates measure_rates() { return {fft_rate(), gemm_rate()}; }

std::optional<double> measure_band_transform(const Problem& problem) {
  if (problem.mesh_basis || problem.deterministic || !BandLanesFft<float>::handles(problem.grid)) return {};
  const GSphere sphere(problem.crystal.lattice, problem.ecut, problem.grid, problem.mode, problem.kpoints.front().k);
  const BandLanesFft<float> fft(sphere);
  const int bands = static_cast<int>(std::clamp<Index>(problem.bands, 1, fft.most_bands()));
  AlignedVector<std::complex<float>> psi(static_cast<std::size_t>(fft.size() * bands), 0.5F), out(psi.size());
  const AlignedVector<float> potential(static_cast<std::size_t>(fft.points()), 0.5F);
  AlignedVector<std::byte> work(static_cast<std::size_t>(fft.work_bytes(bands)));
  const std::function<void()> apply = [&] {
    fft.apply({psi.data()}, bands, {potential.data()}, out.data(), work.data());
  };
  return least_times(std::array{apply}, {.total = 2e-3}).front() / (2 * bands);
}

}  // namespace wavegrid
