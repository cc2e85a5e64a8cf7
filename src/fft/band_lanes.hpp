// Where SphereFft transforms with a band in each lane: on one rank, where a measurement finds that faster.
#pragma once

#include <complex>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>

#include <wavegrid/fft/band_blocks.hpp>
#include <wavegrid/fft/band_lanes_fft.hpp>
#include <wavegrid/fft/fft_layout.hpp>
#include <wavegrid/fft/workspace.hpp>

namespace wavegrid {

/// Divides bands into blocks for BandLanesFft, of sizes that took least time.
template <class Real>
class BandLanes {
 public:
  using Complex = std::complex<Real>;
  /// The same transform by other means: out = forward(potential * backward(psi)).
  using Other = std::function<void(const Complex* psi, const Real* potential, Complex* out, Index bands)>;

  /// Measures blocks of all sizes and `other` once per process for each grid and mode: all spheres of a run share a
  /// choice, so that the same bands have the same bits.
  BandLanes(const GSphere& sphere, int threads, std::shared_ptr<FftWorkspace> workspace, const Other& other);

  /// Both transform bands from the first on, and return how many: all or none. The caller does the others. Threads
  /// share the blocks; for densities only one thread is supported.
  [[nodiscard]] Index apply_potential(const Complex* psi, const Real* potential, Complex* out, Index bands);
  [[nodiscard]] Index accumulate_density(const Complex* psi, std::span<const double> weights, double* density,
                                         Index bands);

  /// Bytes of the workspace at most. Pure.
  [[nodiscard]] static double bytes(const FftLayout& layout, int threads);

 private:
  [[nodiscard]] BandBlocks measure(const Other& other);
  [[nodiscard]] std::byte* reserve(int bands, int blocks);

  BandLanesFft<Real> fft_;
  int threads_;
  std::shared_ptr<FftWorkspace> workspace_;
  BandBlocks blocks_;
};

}  // namespace wavegrid
