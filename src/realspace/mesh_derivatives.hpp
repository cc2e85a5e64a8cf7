// Derivatives of the energy on a mesh by the positions of the atoms and the strain of the cell.
//
// Those of the terms of a density are exact derivatives of the energy as the mesh has it, with the points of a strained
// cell where the strain takes them. Those of the bands use the gradients of the bands,
//
//   F_a = -2 Re sum_i sum_n conj(c_in) <beta_n|grad psi_i>,   c_in = f_i sum_m (D - e_i q)_nm <beta_m|psi_i>
//   dE_nl/d eps_ab = -Re sum_i sum_n conj(c_in) (delta_ab <beta_n|psi_i> + 2 <beta_n|(r - tau)_b d_a psi_i>)
//   dE_kin/d eps_ab = -sum_i f_i <d_a psi_i|d_b psi_i>
//
// since d beta / d tau = -grad beta and the bands are smoother than the projectors: they converge faster with the
// spacing. The trace of the last is replaced by the exact one, -2 E_kin. K. Hirose, T. Ono, Y. Fujimoto, S. Tsukamoto,
// First-Principles Calculations in Real-Space Formalism (2005), 10.1142/p370, section 2.3; X. Andrade et al., J. Phys.:
// Condens. Matter 24, 233202 (2012), 10.1088/0953-8984/24/23/233202; the stress A. Sharma, P. Suryanarayana, J. Chem.
// Phys. 149, 194104 (2018), 10.1063/1.5057355.
#pragma once

#include <span>
#include <vector>

#include "realspace/atom_fields.hpp"
#include "realspace/mesh_hamiltonian.hpp"

namespace wavegrid {

/// Contributions of bands.
struct MeshBandDerivatives {
  std::vector<Vec3> forces;                  ///< of the projectors, Ha/bohr, Cartesian
  Mat3 nonlocal_strain{}, kinetic_strain{};  ///< dE/d eps_ab, Ha, symmetric; zero unless requested
};

/// Of the bands of one k-point and spin with `occupations` (electrons, weights included); `eigenvalues` (Ha) are
/// needed where there is an overlap operator. Collective over the ranks of
/// the bands, with the same result on all.
template <class S>
[[nodiscard]] MeshBandDerivatives band_derivatives(const MeshHamiltonian<S>& h, BandView<const S> psi,
                                                   std::span<const double> occupations, int num_atoms, bool with_strain,
                                                   std::span<const double> eigenvalues = {});

/// The part of the potential (mean of the spin channels, Ha) that core densities see, in the box. Collective.
[[nodiscard]] MeshBox::Coefficients core_potential(MeshBox& box, const SpinFields& xc_potential);

/// dE_H/d eps_ab of a periodic cell, Ha. Collective.
[[nodiscard]] Mat3 hartree_strain(MeshBox& box, const FieldValues& density);

/// dE_local/d eps_ab of a periodic cell, Ha, without the G = 0 part. Collective.
[[nodiscard]] Mat3 local_strain(MeshBox& box, const Crystal& crystal, const Pseudopotentials& atoms,
                                const FieldValues& density, double local_energy);

}  // namespace wavegrid
