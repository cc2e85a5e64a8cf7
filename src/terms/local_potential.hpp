// Local pseudopotential.
//
//   V_loc(G) = 1/Omega sum_atoms v(|G|) exp(-iG.tau), G != 0, inside the cut (potential_cut.hpp)
//   E_local = Omega sum_G conj(V_loc(G)) rho(G),   E_core = N_el / Omega sum_atoms lim_{G->0} (v(G) + 4 pi Z / G^2)
//
// J. Ihm, A. Zunger, M. L. Cohen, J. Phys. C 12, 4409 (1979), 10.1088/0022-3719/12/21/009.
#pragma once

#include <complex>
#include <vector>

#include "atoms/pseudopotentials.hpp"
#include "basis/plane_waves.hpp"
#include "fft/grid_fft.hpp"

namespace wavegrid {

/// V_loc(G) on this rank's G of the box, Ha; 0 at G = 0 and beyond the cut. Local.
[[nodiscard]] std::vector<std::complex<double>> local_potential(const PlaneWaves& box, const std::vector<char>& inside,
                                                                const Crystal& crystal, const Pseudopotentials& atoms);

/// Forces of the local part on all atoms (structure_derivatives.hpp, w_s = v_s rho), Ha/bohr: Cartesian, the same on
/// all ranks. `density` on this rank's G of the box, electrons/bohr^3. Collective.
[[nodiscard]] std::vector<Vec3> local_forces(const GridFft& grid, const std::vector<char>& inside,
                                             const Crystal& crystal, const Pseudopotentials& atoms,
                                             const GridFft::Coefficients& density);

/// dE_local/d eps_ab, Ha: symmetric, the same on all ranks; -delta_ab E_core is that of the core energy. Collective.
[[nodiscard]] Mat3 local_strain(const GridFft& grid, const std::vector<char>& inside, const Crystal& crystal,
                                const Pseudopotentials& atoms, const GridFft::Coefficients& density,
                                double local_energy);

/// The G = 0 energy of the local part, Ha.
[[nodiscard]] double core_energy(const Crystal& crystal, const Pseudopotentials& atoms, double electrons);

}  // namespace wavegrid
