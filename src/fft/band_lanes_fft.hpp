// The compact 3-D FFT of small boxes on one rank: a band in each lane of vector registers, from the plane waves to the
// grid and back.
#pragma once

#include <complex>
#include <span>
#include <vector>

#include <wavegrid/basis/g_sphere.hpp>
#include <wavegrid/fft/band_lanes_kernels.hpp>
#include <wavegrid/fft/fft_layout.hpp>

namespace wavegrid {

/// Bands, one after the other: (bands, plane waves); spinors: (spinors, components, plane waves).
template <class Real>
struct BandRows {
  const std::complex<Real>* psi;
  const Real* laplacians = nullptr;  ///< -|k+G|^2 (plane waves), for bands with their Laplacians; null: bands alone
  bool spinors = false;              ///< of two components each, which a field B couples: in Mode::complex

  /// Bands alone that take as long as one of these.
  [[nodiscard]] int arrays() const { return laplacians != nullptr || spinors ? 2 : 1; }
};

/// Transforms blocks of bands, each with the coefficients of a whole sphere, as SphereFft does on one rank.
///
/// An element of an array holds the real and the imaginary parts of one point of all bands of a block (in Mode::gamma
/// of pairs a + i b), so that no operation crosses lanes and nothing is copied between the stages: lines along x are
/// read where the coefficients are and written where planes need them, and lines along z exist only in registers and
/// one buffer. With fewer bands than lanes several x share a vector along y and z.
template <class Real>
class BandLanesFft {
 public:
  using Complex = std::complex<Real>;

  /// Whether the lengths can be transformed: products of two factors from 2 to 10.
  [[nodiscard]] static bool handles(const Int3& grid);

  explicit BandLanesFft(const GSphere& sphere,
                        const BandLanesKernels<Real>& kernels = *band_lanes_kernels<Real>().front());
  BandLanesFft(const BandLanesFft&) = delete;
  BandLanesFft& operator=(const BandLanesFft&) = delete;

  [[nodiscard]] Index size() const { return plan_.size; }  ///< plane waves
  [[nodiscard]] Index points() const { return Index{plan_.to_grid[0].n} * plan_.to_grid[1].n * plan_.to_grid[2].n; }
  /// Bands of a block at most, and those as which fewer take as long. Blocks of twice as many are other kernels. A band
  /// with its Laplacian counts twice, and so does a spinor.
  [[nodiscard]] int most_bands() const { return bands_in(kernels_.most); }
  [[nodiscard]] int least_bands() const { return bands_in(kernels_.least); }
  /// Bytes of workspace, aligned to 64 bytes, that a block of `bands` bands needs.
  [[nodiscard]] Index work_bytes(int bands) const { return kernels_.work_bytes(plan_, lanes_for(bands)); }
  /// The same for the largest block on the only part of a layout; 0 if it cannot be transformed. Pure.
  [[nodiscard]] static Index most_work_bytes(const FftLayout& layout);
  /// out = forward(potential * backward(psi)) for at most most_bands() bands, with Laplacians as LaplacianFft::apply(),
  /// of spinors as SphereFft::apply_to_spinors(); `out` may equal psi.
  void apply(const BandRows<Real>& rows, int bands, const BandLanesFactors<Real>& factors, Complex* out,
             void* work) const;
  /// Adds densities of at most most_bands() bands.
  void accumulate(const BandRows<Real>& rows, int bands, const double* weights, const BandLanesSums& sums,
                  void* work) const;

 private:
  [[nodiscard]] int bands_in(int lanes) const { return plan_.pairs ? 2 * lanes : lanes; }
  [[nodiscard]] int lanes_for(int bands) const;
  [[nodiscard]] BandLanesBlock<Real> block(const BandRows<Real>& rows, int bands, void* work) const;
  void add_sticks(const GSphere& sphere);

  const BandLanesKernels<Real>& kernels_;
  BandLanesPlan<Real> plan_;
  std::vector<std::vector<Real>> factors_;
  std::vector<BandLanesStick> sticks_;
  std::vector<int> planes_, plane_lines_;
};

}  // namespace wavegrid
