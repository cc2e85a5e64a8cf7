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

  /// Both transform bands as BandLanesFft does, all or none of them: whether they did. Threads share the blocks; for
  /// densities only one thread is supported.
  [[nodiscard]] bool apply(const BandRows<Real>& rows, const BandLanesFactors<Real>& factors, Complex* out,
                           Index bands);
  [[nodiscard]] bool accumulate(const BandRows<Real>& rows, std::span<const double> weights, const BandLanesSums& sums,
                                Index bands);

  /// Bytes of the workspace at most. Pure.
  [[nodiscard]] static double bytes(const FftLayout& layout, int threads);

 private:
  [[nodiscard]] BandBlocks measure(const Other& other);
  [[nodiscard]] std::byte* reserve(int bands, int blocks);
  /// Bands of the first block of `bands`, 0 if they are done in the other way. A band with its Laplacian takes as long
  /// as two, and so does a spinor.
  [[nodiscard]] int first_block(const BandRows<Real>& rows, Index bands) const {
    return blocks_.first(rows.arrays() * bands) / rows.arrays();
  }
  /// Coefficients of a band, or of both components of a spinor.
  [[nodiscard]] Index row(const BandRows<Real>& rows) const { return rows.spinors ? 2 * fft_.size() : fft_.size(); }
  [[nodiscard]] BandRows<Real> from(const BandRows<Real>& rows, Index band) const {
    return {rows.psi + band * row(rows), rows.laplacians, rows.spinors};
  }

  BandLanesFft<Real> fft_;
  int threads_;
  std::shared_ptr<FftWorkspace> workspace_;
  BandBlocks blocks_;
};

}  // namespace wavegrid
