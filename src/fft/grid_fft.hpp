// Densities and potentials: real fields on the whole grid and their Fourier coefficients on the whole FFT box.
#pragma once

#include <array>
#include <span>
#include <vector>

#include <wavegrid/basis/plane_waves.hpp>
#include <wavegrid/fft/line_sum.hpp>
#include <wavegrid/fft/sphere_fft.hpp>

namespace wavegrid {

/// The compact FFT with every stick full: the same pipeline and the same real-space blocks as the wave functions'.
///
/// A field is an array (my x, my y, nz) of real values; its coefficients f(G) = 1/N sum_r f(r) exp(-iG.r) are ordered
/// as waves(). All transforms are collective.
class GridFft {
 public:
  using Coefficients = std::vector<std::complex<double>>;

  /// `ranks` and `scheme` must be those of the wave functions' partition: the box is divided on the same process grid,
  /// so that both have the same real-space blocks. Collective.
  GridFft(const ProcessGrid& ranks, const Lattice& lattice, const Int3& grid, Scheme scheme, const FftOptions& options);

  /// Bytes on one part, except for those that SphereFft counts: `layout` is that of the box. Pure.
  [[nodiscard]] static double bytes(const FftLayout& layout);
  /// As SphereFft::bytes() and exchange_bytes(): the work arrays, and the exchanges. Pure.
  [[nodiscard]] static double transform_bytes(const FftLayout& layout, const Partition& partition,
                                              const FftOptions& options);
  [[nodiscard]] static ExchangePlan::Bytes exchange_bytes(const FftLayout& layout, const Partition& partition,
                                                          const FftOptions& options);

  [[nodiscard]] const PlaneWaves& waves() const { return waves_; }  ///< this rank's G of the box
  [[nodiscard]] const FftLayout& layout() const { return fft_.layout(); }
  [[nodiscard]] const Int3& grid() const { return fft_.layout().grid; }
  [[nodiscard]] Index grid_size() const { return fft_.grid_size(); }       ///< this rank's points
  [[nodiscard]] double volume_element() const { return volume_element_; }  ///< bohr^3 per point
  [[nodiscard]] const Comm& comm() const { return comm_; }
  /// The transform, whose search for a transport goes on in the transforms of fields.
  [[nodiscard]] SphereFft<double>& sphere() { return fft_; }
  [[nodiscard]] const SphereFft<double>& sphere() const { return fft_; }
  /// Sums of term(local index) over the plane waves, or points, of all ranks. Ordered if the options are deterministic.
  [[nodiscard]] const LineSum& over_waves() const { return over_waves_; }
  [[nodiscard]] const LineSum& over_points() const { return over_points_; }

  [[nodiscard]] Coefficients to_recip(std::span<const double> field);
  /// The coefficients of a + ib by one transform.
  [[nodiscard]] Coefficients to_recip(std::span<const double> a, std::span<const double> b);
  /// The real part of sum_G f(G) exp(iG.r).
  [[nodiscard]] std::vector<double> to_real(const Coefficients& coefficients);
  /// The real and the imaginary part: two real fields a and b by one transform from the coefficients of a + ib.
  [[nodiscard]] std::array<std::vector<double>, 2> to_real_pair(const Coefficients& coefficients);

 private:
  GridFft(const ProcessGrid& ranks, const GSphere& box, const Partition& partition, const FftOptions& options);
  [[nodiscard]] Coefficients to_recip();
  void to_values(const Coefficients& coefficients);

  Comm comm_;
  PlaneWaves waves_;
  SphereFft<double> fft_;
  LineSum over_waves_, over_points_;
  double volume_element_;
  std::vector<std::complex<double>> values_;  ///< of the field, or of two, that is transformed
};

}  // namespace wavegrid
