// Cutoffs in reciprocal space: of the local and the Hartree potential, and of what two grids exchange.
#pragma once

#include <vector>

#include <wavegrid/basis/plane_waves.hpp>

namespace wavegrid {

/// 1 where |G|^2/2 <= min(2, boxcut)^2 E_cut, else 0; boxcut is the radius of the largest sphere inside the FFT box
/// over G_cut. Points on that sphere count as inside. This is ABINIT's rule; it matters on coarse grids
/// (docs/conventions.md).
[[nodiscard]] std::vector<char> inside_potential_cut(const PlaneWaves& box, const Int3& grid, double ecut);

/// 1 where |G|^2/2 <= density_ecut, else 0: with a grid of the density of its own, as in Quantum ESPRESSO.
[[nodiscard]] std::vector<char> inside_density_cut(const PlaneWaves& box, double density_ecut);

/// Up to which |G|^2/2 (Ha) the bands' grid has the coefficients of the potential, and the density those of the bands:
/// min(4 E_cut, density_ecut), 4 E_cut being that of products of two bands, but below the largest sphere inside of the
/// bands' grid.
[[nodiscard]] double transfer_cut(const Lattice& lattice, const Int3& bands_grid, double ecut, double density_ecut);

}  // namespace wavegrid
