// Local pseudopotential.
//
//   V_loc(G) = 1/Omega sum_atoms v(|G|) exp(-iG.tau), G != 0, within the cutoff of potential_cut.hpp
//   E_local = Omega sum_G conj(V_loc(G)) rho(G),   E_g0 = N_el / Omega sum_atoms lim_{G->0} (v(G) + 4 pi Z / G^2)
//
// Where the cell is not periodic, the tail -Z/r is cut off as the Coulomb interaction is (realspace/mesh_box.hpp,
// planewaves/free_boundaries.hpp), at a distance that no electron has from an atom: it is there that of a Gaussian
// charge, whose cutoff is smooth.
//
// J. Ihm, A. Zunger, M. L. Cohen, J. Phys. C 12, 4409 (1979), 10.1088/0022-3719/12/21/009.
#pragma once

#include <vector>

#include <wavegrid/pseudo/pseudopotentials.hpp>
#include <wavegrid/terms/fourier_box.hpp>

namespace wavegrid {

/// V_loc(G) on this rank's G of the box, Ha: 0 where electrostatic potentials have no G, and at G = 0 of a periodic
/// box. `crystal`: the atoms at their places in the box. Local.
[[nodiscard]] GridFft::Coefficients local_potential(const FourierBox& box, const Crystal& crystal,
                                                    const Pseudopotentials& atoms);

/// Forces of the local part on all atoms (structure_derivatives.hpp, w_s = v_s rho), Ha/bohr: Cartesian, the same on
/// all ranks. `density` on this rank's G of the box, electrons/bohr^3. Collective.
[[nodiscard]] std::vector<Vec3> local_forces(const FourierBox& box, const Crystal& crystal,
                                             const Pseudopotentials& atoms, const GridFft::Coefficients& density);

/// dE_local/d eps_ab, Ha: symmetric, the same on all ranks (that of the G = 0 energy of a periodic box is -delta_ab
/// E_g0); with free directions the components along the others. Collective.
[[nodiscard]] Mat3 local_strain(const FourierBox& box, const Crystal& crystal, const Pseudopotentials& atoms,
                                const GridFft::Coefficients& density, double local_energy);

/// The G = 0 energy of the local part, Ha.
[[nodiscard]] double local_g0_energy(const Crystal& crystal, const Pseudopotentials& atoms, double electrons);

}  // namespace wavegrid
