// Hartree energy and potential.
//
//   V_H(G) = 4 pi rho(G) / G^2, G != 0, within the cutoff of potential_cut.hpp;   E_H = Omega/2 sum_G V_H(G)* rho(G)
#pragma once

#include <complex>
#include <vector>

#include <wavegrid/fft/grid_fft.hpp>
#include <wavegrid/terms/fourier_box.hpp>

namespace wavegrid {

/// V_H(G) on this rank's G, Ha. Local.
[[nodiscard]] std::vector<std::complex<double>> hartree_potential(const PlaneWaves& box,
                                                                  const std::vector<char>& inside,
                                                                  const std::vector<std::complex<double>>& density);

/// E_H of a density (electrons/bohr^3) or of a density difference, Ha. Collective.
[[nodiscard]] double hartree_energy(const GridFft& grid, const std::vector<char>& inside,
                                    const std::vector<std::complex<double>>& density);

/// dE_H/d eps_ab = Omega sum_G V_H(G)* rho(G) G_a G_b / G^2 - delta_ab E_H, Ha, in a periodic box; `energy`: E_H. With
/// free directions the components along the periodic ones mean something, with -v'(p) / p / 2 p_a p_b for the factor.
/// Symmetric, the same on all ranks. Collective.
[[nodiscard]] Mat3 hartree_strain(const FourierBox& box, const GridFft::Coefficients& density, double energy);

}  // namespace wavegrid
