// PBE of a density without spin, many points at a time: exchange and correlation on the grid take a third of the time
// of a small molecule when libxc computes them, which works point by point (decision 0022).
//
// J. P. Perdew, K. Burke, M. Ernzerhof, Phys. Rev. Lett. 77, 3865 (1996), 10.1103/PhysRevLett.77.3865: exchange by
// equations 10, 13 and 14, correlation by 3, 7 and 8. Uniform gas: J. P. Perdew, Y. Wang, Phys. Rev. B 45, 13244
// (1992), 10.1103/PhysRevB.45.13244, equation 10, with the digits of libxc's LDA_C_PW_MOD.
#pragma once

#include <cstddef>

namespace wavegrid {

/// Points of one call of closed_shell_pbe().
inline constexpr std::size_t pbe_points = 64;

/// The energy per volume (Ha/bohr^3) and its derivatives by the density n (Ha) and by sigma = |grad n|^2 (Ha bohr^5) at
/// `pbe_points` points, equal to libxc's GGA_X_PBE+GGA_C_PBE to rounding, with its thresholds. `exchange`: the share of
/// exchange, below 1 in PBE0. Results do not depend on the position of a point. Pure.
void closed_shell_pbe(double exchange, const double* density, const double* sigma, double* energy, double* vrho,
                      double* vsigma);

}  // namespace wavegrid
