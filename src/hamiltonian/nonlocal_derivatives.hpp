// Forces and stress of the nonlocal pseudopotential.
//
//   E = sum_n f_n sum_pq <psi_n|beta_p> (D - e_n q)_pq <beta_q|psi_n>   (couplings.hpp)
//   dE = 2 Re sum_p <d beta_p|X_p>,   X_p = sum_n f_n sum_q <psi_n|beta_q> (D - e_n q)_qp psi_n
//   d beta_p / d tau_a = -i(k+G) beta_p:   F_a = 2 sum_G (k+G) sum_{p of a} Im(conj(beta_p(G)) X_p(G))
//   d beta_p / d eps_ab = -1/2 delta_ab beta_p - (k+G)_b d/d(k+G)_a, where the phase exp(-i(k+G).tau) is constant
//
// All derivatives need the same X: two matrix products over all projectors and bands, as one V_nl psi. The rest are
// sums over plane waves, those of the stress one species at a time:
//
//   sum_{p of a species} conj(d beta_p) X_p = conj(d beta_centred) Z,
//   Z = sum_{a of the species} exp(+i(k+G).tau_a) X_a
//
// O. H. Nielsen, R. M. Martin, Phys. Rev. B 32, 3792 (1985), 10.1103/PhysRevB.32.3792.
#pragma once

#include <span>
#include <vector>

#include <wavegrid/hamiltonian/nonlocal_potential.hpp>

namespace wavegrid {

/// Derivatives for bands of one k-point and spin, with occupations in electrons and the weight of the k-point. `k`,
/// `waves` and `nonlocal` are those of the bands. The same on all ranks of `product`. Memory:
/// nonlocal_derivatives_bytes(). Collective, two sums.
template <class S>
[[nodiscard]] NonlocalDerivatives nonlocal_derivatives(const InnerProduct& product, const Vec3& k,
                                                       const PlaneWaves& waves, NonlocalPotential<S>& nonlocal,
                                                       const Crystal& crystal, const Pseudopotentials& atoms,
                                                       BandView<const S> psi, const BandCouplings& couplings,
                                                       bool with_strain);

/// Bytes of a call. Pure.
template <class S>
[[nodiscard]] double nonlocal_derivatives_bytes(Index rows, Index bands, const Crystal& crystal,
                                                const Pseudopotentials& atoms, bool with_strain);

}  // namespace wavegrid
