// The exponential of a Hermitian operator, or of S^-1 H, by Chebyshev polynomials:
//
//   exp(-i t H) = exp(-i t c) sum_n (2 - delta_n0) (-i)^n J_n(t R) T_n((H - c) / R)
//
// for a spectrum within [c - R, c + R]. H. Tal-Ezer, R. Kosloff, J. Chem. Phys. 81, 3967 (1984), 10.1063/1.448136. The
// sum of what is left out bounds the error of each band, whatever the band: needs about t R applications of H, without
// any inner product.
#pragma once

#include <algorithm>
#include <complex>
#include <vector>

#include <wavegrid/eigen/band_operator.hpp>

namespace wavegrid {

/// All eigenvalues of an operator lie between these, Ha.
struct SpectrumBounds {
  double lowest = 0, highest = 0;
};

/// exp(-i t S^-1 H) for operators with this spectrum, that of H x = e S x.
class ChebyshevExponential {
 public:
  static constexpr Index most_bands = 64;  ///< that are held at a time, three times

  /// `time` in hbar/Ha, of either sign; `error`: bound of the error of a normalised band, at least 1e-15. Pure.
  ChebyshevExponential(const SpectrumBounds& spectrum, double time, double error);

  /// Bytes of a propagation by it: blocks, and the bands of `sets` k-points and spins in the middle of a step. Pure.
  [[nodiscard]] static double bytes(Index rows, Index bands, Index sets, bool has_overlap = false) {
    using Block = Bands<std::complex<double>>;
    return (has_overlap ? 4 : 3) * Block::bytes(rows, std::min(most_bands, bands)) +
           static_cast<double>(sets) * Block::bytes(rows, bands);
  }

  /// Applications of H to a band. Pure.
  [[nodiscard]] int degree() const { return static_cast<int>(weights_.size()) - 1; }

  /// psi = exp(-i t S^-1 H) psi. Collective over the ranks of the operator.
  void apply(BandOperator<std::complex<double>>& op, BandView<std::complex<double>> psi) const;

 private:
  void apply_to_block(BandOperator<std::complex<double>>& op, BandView<std::complex<double>> psi) const;

  double centre_, radius_;                     ///< Ha
  std::vector<std::complex<double>> weights_;  ///< of the polynomials
};

}  // namespace wavegrid
