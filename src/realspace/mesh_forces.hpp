// Forces on the atoms of a calculation on a mesh.
//
// Those of local potential and core densities are exact derivatives of the energy as the mesh has it. Those of the
// projectors use the gradients of the bands,
//
//   F_a = -2 Re sum_i f_i sum_n D_n <psi_i|beta_n> <beta_n|grad psi_i>,
//
// since d beta / d tau = -grad beta and the bands are smoother than the projectors: they converge faster with the
// spacing. K. Hirose, T. Ono, Y. Fujimoto, S. Tsukamoto, First-Principles Calculations in Real-Space Formalism (2005),
// 10.1142/p370, section 2.3; X. Andrade et al., J. Phys.: Condens. Matter 24, 233202 (2012),
// 10.1088/0953-8984/24/23/233202.
#pragma once

#include <span>
#include <vector>

#include "realspace/atom_fields.hpp"
#include "realspace/mesh_hamiltonian.hpp"

namespace wavegrid {

/// Forces of the projectors on all atoms, Ha/bohr, Cartesian, of the bands of one k-point and spin with `occupations`
/// (electrons, weights included). Collective.
template <class S>
[[nodiscard]] std::vector<Vec3> nonlocal_forces(const MeshHamiltonian<S>& h, BandView<const S> psi,
                                                std::span<const double> occupations, int num_atoms);

/// Forces of the core densities in the potential of exchange and correlation (one field per spin channel, Ha), Ha/bohr.
/// Collective.
[[nodiscard]] std::vector<Vec3> core_forces(MeshBox& box, const Crystal& crystal, const Pseudopotentials& atoms,
                                            const SpinFields& xc_potential);

}  // namespace wavegrid
