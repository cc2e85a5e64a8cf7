// Preconditioners of density mixing on the FFT grid: approximate inverses of the dielectric response.
//
// A change F = n_out - n_in is too large, because the electrons screen it. With u the electrostatic potential of the
// wanted change d, G^2 u / 4 pi = d, and chi the response of the electrons to a potential, (1 - chi v) d = F.
//
//   kerker      chi = -k0^2 / 4 pi everywhere:      d = G^2 / (G^2 + k0^2) F
//   dielectric  a model of the dielectric function of a semiconductor: 1/e at long wavelengths, 1 above q, the inverse
//               length of Thomas-Fermi screening by valence electrons:
//               d = (q^2 + (e - 1) G^2) / (e q^2 + (e - 1) G^2) F
//   ldos        chi(r, r') = -D(r) delta(r - r') + D(r) D(r') / int D with D the local density of states:
//               (-grad^2 / 4 pi + D) u - D int D u / int D = F, solved by conjugate gradients
//
// Kerker is for bulk metals, the dielectric model for solids with a gap. LDOS has no parameter; it equals Kerker in a
// metal, has no effect in an insulator or in vacuum, and adapts to each region of a cell that contains several of them.
// G. P. Kerker, Phys. Rev. B 23, 3082 (1981), 10.1103/PhysRevB.23.3082; M. F. Herbst, A. Levitt, J. Phys.: Condens.
// Matter 33, 085503 (2021), 10.1088/1361-648X/abcbdb, Eq. (17) and, for the dielectric model, section 4; R. Resta,
// Phys. Rev. B 16, 2717 (1977), 10.1103/PhysRevB.16.2717.
#pragma once

#include <vector>

#include <wavegrid/fft/grid_fft.hpp>

namespace wavegrid {

/// d = G^2 / (G^2 + k0^2) F on this rank's G of the box, in place. Local.
void precondition_by_kerker(const PlaneWaves& box, double k0, GridFft::Coefficients& change);

/// The dielectric model with e = `epsilon` at long wavelengths, in place. Local.
void precondition_by_dielectric(const PlaneWaves& box, double epsilon, GridFft::Coefficients& change);

/// The same with the local density of states at the Fermi level, 1/(Ha bohr^3), not negative, on this rank's block of
/// the grid. The integral of the change stays 0. Collective.
void precondition_by_ldos(GridFft& grid, const std::vector<double>& ldos, GridFft::Coefficients& change);

}  // namespace wavegrid
