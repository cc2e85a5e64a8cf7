// The core electrons that enter exchange and correlation alone (the nonlinear core correction).
//
//   n_core(G) = 1/Omega sum_atoms rho_core(|G|) exp(-iG.tau)
//
// S. G. Louie, S. Froyen, M. L. Cohen, Phys. Rev. B 26, 1738 (1982), 10.1103/PhysRevB.26.1738.
#pragma once

#include <complex>
#include <vector>

#include "terms/local_potential.hpp"

namespace wavegrid {

/// n_core(G) on this rank's G of the whole box (no cut), electrons/bohr^3; empty where no species of the crystal has a
/// core density. Local.
[[nodiscard]] std::vector<std::complex<double>> core_density(const PlaneWaves& box, const Crystal& crystal,
                                                             const Pseudopotentials& atoms);

/// Forces on all atoms of a potential on the core density (structure_derivatives.hpp, w_s = rho_core,s V), Ha/bohr:
/// Cartesian, the same on all ranks. `potential` on this rank's G of the box, Ha: that of exchange and correlation,
/// with spin the mean of both channels' (the core is not polarised). Collective.
[[nodiscard]] std::vector<Vec3> core_forces(const GridFft& grid, const Crystal& crystal, const Pseudopotentials& atoms,
                                            const GridFft::Coefficients& potential);

/// What the shape of the core densities adds to dE_xc/d eps_ab, Ha (xc_potential.hpp has the rest); `potential` as
/// above. Symmetric, the same on all ranks. Collective.
[[nodiscard]] Mat3 core_strain(const GridFft& grid, const Crystal& crystal, const Pseudopotentials& atoms,
                               const GridFft::Coefficients& potential);

}  // namespace wavegrid
