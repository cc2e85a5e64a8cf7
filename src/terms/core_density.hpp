// The density of core electrons for exchange and correlation (the nonlinear core correction, nlcc).
//
//   n_core(G) = 1/Omega sum_atoms rho_core(|G|) exp(-iG.tau)
//
// S. G. Louie, S. Froyen, M. L. Cohen, Phys. Rev. B 26, 1738 (1982), 10.1103/PhysRevB.26.1738.
#pragma once

#include <complex>
#include <vector>

#include <wavegrid/basis/plane_waves.hpp>
#include <wavegrid/fft/grid_fft.hpp>
#include <wavegrid/pseudo/pseudopotentials.hpp>

namespace wavegrid {

/// n_core(G) on this rank's G of the whole box (no cutoff), electrons/bohr^3; empty if no species of the crystal has a
/// core density. Local.
[[nodiscard]] std::vector<std::complex<double>> core_density(const PlaneWaves& box, const Crystal& crystal,
                                                             const Pseudopotentials& atoms);

/// Forces on all atoms by a potential that acts on their core densities (structure_derivatives.hpp,
/// w_s = rho_core,s V), Ha/bohr, Cartesian, the same on all ranks. `potential` on this rank's G of the box, Ha: that of
/// exchange and correlation, with spin the mean of the two channels (the core is not polarised). Collective.
[[nodiscard]] std::vector<Vec3> core_forces(const GridFft& grid, const Crystal& crystal, const Pseudopotentials& atoms,
                                            const GridFft::Coefficients& potential);

/// The part of dE_xc/d eps_ab that comes from the shape of the core densities, Ha (xc_strain.hpp has the other parts);
/// `potential` as above. Symmetric, the same on all ranks. Collective.
[[nodiscard]] Mat3 core_strain(const GridFft& grid, const Crystal& crystal, const Pseudopotentials& atoms,
                               const GridFft::Coefficients& potential);

}  // namespace wavegrid
