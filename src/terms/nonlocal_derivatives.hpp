// Forces of the nonlocal pseudopotential.
//
//   E = sum_n f_n sum_p D_p |<beta_p|psi_n>|^2,   D_p the strengths of nonlocal_potential.hpp
//   dE = 2 Re sum_p <d beta_p|X_p>,   X_p = sum_n f_n D_p <psi_n|beta_p> psi_n
//   F_a = 2 sum_G (k+G) sum_{p of a} Im(conj(beta_p(G)) X_p(G)),   as d beta_p/d tau_a = -i(k+G) beta_p
//
// All derivatives need the same X: two matrix products over all projectors and bands, as one V_nl psi, whatever their
// number; the rest are sums over plane waves.
#pragma once

#include <span>
#include <vector>

#include "terms/nonlocal_potential.hpp"

namespace wavegrid {

/// Derivatives of the nonlocal energy of some bands.
struct NonlocalDerivatives {
  double energy = 0;         ///< E itself, Ha
  std::vector<Vec3> forces;  ///< -dE/dtau_a, Cartesian, Ha/bohr
};

/// Of bands of one k-point and spin with `filling` electrons each, k-weights included. `waves` and `nonlocal` are those of
/// the bands. The same on all ranks of `product`. Memory: projectors x bands, and some 64 bands. Collective, two sums.
template <class S>
[[nodiscard]] NonlocalDerivatives nonlocal_derivatives(const InnerProduct& product, const PlaneWaves& waves,
                                                       const NonlocalPotential<S>& nonlocal, const Crystal& crystal,
                                                       const Pseudopotentials& atoms, BandView<const S> psi,
                                                       std::span<const double> filling);

/// Bytes of a call. Pure.
template <class S>
[[nodiscard]] double nonlocal_derivatives_bytes(Index rows, Index projectors, Index bands);

}  // namespace wavegrid
