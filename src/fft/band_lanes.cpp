#include <omp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <vector>

#include <wavegrid/base/thread_clock.hpp>
#include <wavegrid/fft/band_lanes.hpp>

namespace wavegrid {

template <class Real>
BandLanes<Real>::BandLanes(const GSphere& sphere, int threads, std::shared_ptr<FftWorkspace> workspace,
                           const Other& other)
    : fft_(sphere), threads_(threads), workspace_(std::move(workspace)) {
  static std::mutex guard;
  static std::map<std::array<int, 5>, BandBlocks> known;
  const Int3& grid = sphere.grid();
  const std::lock_guard lock(guard);
  const auto [blocks, is_new] = known.try_emplace({grid[0], grid[1], grid[2], sphere.mode() == Mode::gamma, threads});
  if (is_new) blocks->second = measure(other);
  blocks_ = blocks->second;
  (void)reserve(blocks_.most(), threads_);
}

template <class Real>
BandBlocks BandLanes<Real>::measure(const Other& other) {
  const int most = fft_.most_bands(), few = std::min(most, 2 * threads_);
  std::vector<Complex> psi(static_cast<std::size_t>(fft_.size() * most));
  for (std::size_t i = 0; i < psi.size(); ++i) psi[i] = std::sin(static_cast<Real>(i));
  std::vector<Complex> out(psi.size());
  const std::vector<Real> potential(static_cast<std::size_t>(fft_.points()), Real(0.5));
  std::byte* const work = reserve(most, 1);
  std::vector<int> sizes;
  std::vector<std::function<void()>> candidates;
  for (int bands = fft_.least_bands(); bands <= most; bands *= 2) {
    sizes.push_back(bands);
    candidates.emplace_back([&, bands] { fft_.apply({psi.data()}, bands, {potential.data()}, out.data(), work); });
  }
  candidates.emplace_back([&] { other(psi.data(), potential.data(), out.data(), few); });
  const std::vector<double> seconds = least_times(candidates, {.total = 2e-3, .least = 3});
  std::map<int, double> by_bands;
  for (std::size_t i = 0; i < sizes.size(); ++i) by_bands[sizes[i]] = seconds[i];
  return {by_bands, seconds.back() / few * threads_};
}

/// Workspace for so many blocks at once.
template <class Real>
std::byte* BandLanes<Real>::reserve(int bands, int blocks) {
  if (bands == 0) return nullptr;
  workspace_->reserve<std::byte>(FftWorkspace::Array::pipeline, blocks * fft_.work_bytes(bands));
  return workspace_->data<std::byte>(FftWorkspace::Array::pipeline);
}

template <class Real>
bool BandLanes<Real>::apply(const BandRows<Real>& rows, const BandLanesFactors<Real>& factors, Complex* out,
                            Index bands) {
  std::byte* const work = reserve(blocks_.most(), threads_);
  const Index row = this->row(rows);
  if (threads_ == 1) {
    Index done = 0;
    for (int block = 0; (block = first_block(rows, bands - done)) > 0; done += block)
      fft_.apply(from(rows, done), block, factors, out + done * row, work);
    return done == bands;
  }
  const Index block = first_block(rows, ceil_div(bands, threads_));
  if (block == 0) return bands == 0;
#pragma omp parallel for num_threads(threads_) schedule(static)
  for (Index first = 0; first < bands; first += block)
    fft_.apply(from(rows, first), static_cast<int>(std::min(block, bands - first)), factors, out + first * row,
               work + omp_get_thread_num() * fft_.work_bytes(blocks_.most()));
  return true;
}

template <class Real>
bool BandLanes<Real>::accumulate(const BandRows<Real>& rows, std::span<const double> weights, const BandLanesSums& sums,
                                 Index bands) {
  if (threads_ > 1) return bands == 0;
  std::byte* const work = reserve(blocks_.most(), 1);
  Index done = 0;
  for (int block = 0; (block = first_block(rows, bands - done)) > 0; done += block)
    fft_.accumulate(from(rows, done), block, weights.data() + done, sums, work);
  return done == bands;
}

template <class Real>
double BandLanes<Real>::bytes(const FftLayout& layout, int threads) {
  return static_cast<double>(threads) * static_cast<double>(BandLanesFft<Real>::most_work_bytes(layout));
}

template class BandLanes<float>;
template class BandLanes<double>;

}  // namespace wavegrid
