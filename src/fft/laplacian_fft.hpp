// Bands and their Laplacians on the grid, for operators of second order and kinetic-energy densities.
//
//   -1/2 div(v grad psi) = 1/4 (Lap v) psi - 1/4 [v Lap psi + Lap(v psi)]
//   1/2 |grad psi|^2 = 1/4 Lap |psi|^2 - 1/2 Re(conj(psi) Lap psi)
//
// so that one more transform of a band does what the three of its gradient would. On plane waves Lap is -|k+G|^2.
#pragma once

#include <complex>
#include <memory>
#include <span>
#include <vector>

#include <wavegrid/basis/plane_waves.hpp>
#include <wavegrid/fft/sphere_fft.hpp>

namespace wavegrid {

/// Transforms on top of a SphereFft, with its layouts. Collective over its ranks.
template <class Real>
class LaplacianFft {
 public:
  using Complex = std::complex<Real>;

  /// `waves`: those of `fft`, which must outlive it. Local.
  LaplacianFft(SphereFft<Real>& fft, PlaneWaves waves, std::shared_ptr<FftWorkspace> workspace);

  /// Moves the point k of the waves, whose G stay, in units of the reciprocal vectors. Local.
  void shift(const Vec3& change);

  /// As SphereFft::apply_on_grid(), for operators with v_tau:
  ///   out = forward(a) + Lap forward(b),   a = (V + A) psi - 1/4 v_tau Lap psi,   b = -1/4 v_tau psi
  /// `out` may equal `psi`.
  void apply(const Complex* psi, const GridOperators<Real>& operators, Complex* out, const BandNumbers& numbers,
             Index bands);
  /// density += sum_b weights[b] |psi_b|^2 and kinetic -= 1/2 sum_b weights[b] Re(conj(psi_b) Lap psi_b).
  void accumulate(const Complex* psi, std::span<const double> weights, double* density, double* kinetic, Index bands);

  /// Bytes for a rank with `waves` plane waves: its own, and work arrays that the k-points share. Pure.
  [[nodiscard]] static double bytes(Index waves) { return static_cast<double>(waves) * sizeof(Real); }
  [[nodiscard]] static double work_bytes(const FftLayout& layout, const Partition& partition, const FftOptions& options,
                                         Index waves);

 private:
  /// Bands that are on the grid at once, with their Laplacians.
  [[nodiscard]] Index block() const { return fft_.bands_on_grid() / 2; }
  /// For each `group` of bands (the last one filled up with zeros) these and their Laplacians: returns the number of
  /// arrays of coefficients.
  Index set_pairs(const Complex* psi, Index bands, Index group);
  void take_pairs(Complex* out, Index bands, Index group) const;
  /// Bands one after the other, where no other operator acts on them.
  void multiply_lines(Index pairs, const GridOperators<Real>& operators);
  /// With other operators, on whole arrays: every second one holds the Laplacians of the bands in the array before.
  void multiply_pairs(const GridArrays<Real>& pairs, const GridOperators<Real>& operators, const BandNumbers& numbers,
                      Index bands) const;
  [[nodiscard]] Complex* pairs() const { return workspace_->template data<Complex>(FftWorkspace::Array::laplacian); }

  SphereFft<Real>& fft_;
  std::vector<Real> laplacian_;  ///< -|k+G|^2
  std::shared_ptr<FftWorkspace> workspace_;
  PlaneWaves waves_;
};

}  // namespace wavegrid
