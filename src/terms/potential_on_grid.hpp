// The potential in H on the FFT grid; with a meta-GGA in pairs of bands and their Laplacians (fft/laplacian_fft.hpp):
//
//   V psi - 1/2 div(v_tau grad psi) = a + Lap b,   a = (V + 1/4 Lap v_tau) psi - 1/4 v_tau Lap psi,   b = -1/4 v_tau psi
#pragma once

#include <complex>

#include "basis/wave_rows.hpp"
#include "fft/band_fft.hpp"
#include "scf/operator_potential.hpp"

namespace wavegrid {

/// psi and Lap psi become a and b, at `count` points from number `first` of the potential on. Local.
template <class Real>
void multiply_pair(const OperatorPotential<Real>& potential, Index first, Index count, std::complex<Real>* psi,
                   std::complex<Real>* laplacian) {
  const Real* const v = potential.local().data() + first;
  const Real* const v_tau = potential.tau().data() + first;
  for (Index i = 0; i < count; ++i) {
    const Real quarter = Real(-0.25) * v_tau[i];
    const std::complex<Real> b = quarter * psi[i];
    psi[i] = v[i] * psi[i] + quarter * laplacian[i];
    laplacian[i] = b;
  }
}

/// The arrays of the bands in a block of pairs.
template <class Real>
[[nodiscard]] GridArrays<Real> bands_of_pairs(const GridArrays<Real>& pairs) {
  return {pairs.values, pairs.count / 2, 2 * pairs.stride};
}

/// A potential with v_tau for BandFft::apply_with_laplacian().
template <class Real>
class PairPotential final : public GridOperator<Real> {
 public:
  explicit PairPotential(const OperatorPotential<Real>& potential) : potential_(potential) {}

  void apply(const GridArrays<Real>& pairs, const BandNumbers& /*numbers*/, Index /*bands*/) override {
    constexpr Index piece = 512;  // points of a thread
    const auto points = static_cast<Index>(potential_.num_points());
    for (Index a = 0; a < pairs.count; a += 2) {
      std::complex<Real>* const psi = pairs.values + a * pairs.stride;
#pragma omp parallel for schedule(static)
      for (Index i = 0; i < points; i += piece)
        multiply_pair(potential_, i, std::min(piece, points - i), psi + i, psi + pairs.stride + i);
    }
  }

 private:
  OperatorPotential<Real> potential_;
};

/// out = the potential times psi. Collective over the ranks of `fft`.
template <class S>
void apply_on_grid(BandFft<RealOf<S>>& fft, const OperatorPotential<RealOf<S>>& potential, BandView<const S> psi,
                   BandView<S> out) {
  if (!potential.has_tau())
    return fft.apply_local(coefficients(psi), potential.local().data(), coefficients(out), psi.count);
  PairPotential<RealOf<S>> pairs(potential);
  fft.apply_with_laplacian(coefficients(psi), pairs, coefficients(out), psi.count);
}

}  // namespace wavegrid
