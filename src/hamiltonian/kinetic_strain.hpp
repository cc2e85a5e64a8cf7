// The strain derivative of the kinetic energy of the bands, and that of E_xc by the kinetic-energy density.
//
//   E = sum_n f_n sum_G (k+G)^2/2 |psi_n(G)|^2,   dE/d eps_ab = -sum_G (k+G)_a (k+G)_b sum_n f_n |psi_n(G)|^2
//   dE_xc/d eps_ab = -sum_n f_n <d_a psi_n|v_tau|d_b psi_n>,   with Omega tau as it changes at fixed coefficients
#pragma once

#include <span>

#include <wavegrid/basis/plane_waves.hpp>
#include <wavegrid/basis/wave_rows.hpp>
#include <wavegrid/fft/band_fft.hpp>

namespace wavegrid {

/// dE/d eps_ab, Ha, of bands of one k-point and spin; `occupations` in electrons with the weight of the k-point.
/// Symmetric, the same on all ranks of `product`. Collective.
template <class S>
[[nodiscard]] Mat3 kinetic_strain(const InnerProduct& product, const PlaneWaves& waves, BandView<const S> psi,
                                  std::span<const double> occupations);

/// The last of the above, Ha, with v_tau at the points of this rank's operators. As kinetic_strain().
template <class S>
[[nodiscard]] Mat3 tau_strain(const InnerProduct& product, BandFft<RealOf<S>>& fft, std::span<const RealOf<S>> v_tau,
                              BandView<const S> psi, std::span<const double> occupations);

}  // namespace wavegrid
