// Couplings of projectors by spin-orbit terms: matrices over the two components of spinors.
//
//   V_nl = sum_a sum_lm,l'm' sum_ij |p_ai Y_lm> (h_ij + k_ij L.S) <p_aj Y_lm'|
//   2 L.S = [L_z  L_-; L_+  -L_z]
//
// L. Kleinman, Phys. Rev. B 21, 2630 (1980), 10.1103/PhysRevB.21.2630; C. Hartwigsen, S. Goedecker, J. Hutter, Phys.
// Rev. B 58, 3641 (1998), Eqs. (18) and (19), 10.1103/PhysRevB.58.3641.
#pragma once

#include <complex>

#include <wavegrid/crystal/crystal.hpp>
#include <wavegrid/fields/atom_matrices.hpp>
#include <wavegrid/linalg/bands.hpp>
#include <wavegrid/pseudo/pseudopotentials.hpp>

namespace wavegrid {

/// L.S over the real harmonics of l (spherical_harmonics.hpp), all m with spin up, then all with spin down; hbar = 1.
/// Hermitian. Pure.
[[nodiscard]] Matrix<std::complex<double>> spin_orbit_matrix(int l);

/// Whether any potential has a spin-orbit term. Pure.
[[nodiscard]] bool has_spin_orbit(const Pseudopotentials& atoms);

/// h + k L.S of a potential with a spin-orbit term, Ha: 2n x 2n. Pure.
[[nodiscard]] Matrix<std::complex<double>> spin_orbit_couplings(const Pseudopotential& atom);

/// The couplings of each atom, Ha: 2n x 2n for a potential of n projectors with a spin-orbit term, otherwise n x n; of
/// augmented datasets D0. Pure.
[[nodiscard]] AtomMatrices spinor_couplings(const Crystal& crystal, const Pseudopotentials& atoms);
/// q of each atom, likewise. Pure.
[[nodiscard]] AtomMatrices spinor_charges(const Crystal& crystal, const Pseudopotentials& atoms);

/// For each projector of a fully relativistic augmented dataset the projection onto its j over harmonics and spins,
/// (l + 1 + 2 L.S) / (2l + 1) or (l - 2 L.S) / (2l + 1): 2n x 2n, Hermitian. Of others an empty matrix. Pure.
[[nodiscard]] Matrix<std::complex<double>> spin_angle_projection(const Pseudopotential& atom);

}  // namespace wavegrid
