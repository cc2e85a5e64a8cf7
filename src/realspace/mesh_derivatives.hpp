// Derivatives of the energies of bands on a mesh by the positions of the atoms and the strain of the cell.
//
// Those of the terms of a density are exact derivatives of the energy as the mesh has it, with the points of a strained
// cell where the strain takes them. These use the gradients of the bands,
//
//   F_a = -2 Re sum_i sum_n conj(c_in) <beta_n|grad psi_i>,   c_in = f_i sum_m (D - e_i q)_nm <beta_m|psi_i>
//   dE_nl/d eps_ab = -Re sum_i sum_n conj(c_in) (delta_ab <beta_n|psi_i> + 2 <beta_n|(r - tau)_b d_a psi_i>)
//   dE_kin/d eps_ab = -sum_i f_i <d_a psi_i|d_b psi_i>
//   dE_xc/d eps_ab by tau = -sum_i f_i <d_a psi_i|v_tau|d_b psi_i>
//
// and where shells of DFT+U have orthonormal orbitals h = phi W, the change of W: the same sums over the orbitals phi_n
// instead of bands, with c_mn = 2 G_mn (overlap_weights of terms/orbital_combination.hpp), while those of bands have
// the c of phi, W c. This holds
// since d beta / d tau = -grad beta and the bands are smoother than the projectors: they converge faster with the
// spacing. The traces of the last two are replaced by the exact ones, -2 E_kin and -2 int v_tau tau. K. Hirose, T. Ono,
// Y. Fujimoto, S. Tsukamoto, First-Principles Calculations in Real-Space Formalism (2005), 10.1142/p370, section 2.3;
// X. Andrade et al., J. Phys.: Condens. Matter 24, 233202 (2012), 10.1088/0953-8984/24/23/233202; the stress A. Sharma,
// P. Suryanarayana, J. Chem. Phys. 149, 194104 (2018), 10.1063/1.5057355.
#pragma once

#include <span>
#include <vector>

#include <wavegrid/realspace/mesh_hamiltonian.hpp>

namespace wavegrid {

/// Adds the derivatives of the bands of one k-point and spin (KohnShamOperator::add_derivatives). Collective over the
/// ranks of the bands, with the same result on all.
template <class S>
void add_band_derivatives(MeshHamiltonian<S>& h, BandView<const S> psi, std::span<const double> occupations,
                          std::span<const double> eigenvalues, bool with_strain, BandDerivatives& sum);

}  // namespace wavegrid
