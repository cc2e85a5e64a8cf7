// r2SCAN of a density without spin, many points at a time, for the reason for which there is closed_shell_pbe.hpp.
//
// J. W. Furness, A. D. Kaplan, J. Ning, J. P. Perdew, J. Sun, J. Phys. Chem. Lett. 11, 8208 (2020),
// 10.1021/acs.jpclett.0c02405, and its supporting information, equations S1 to S40, for zeta = 0; the uniform gas as in
// libxc's LDA_C_PW_MOD.
#pragma once

#include <cstddef>

namespace wavegrid {

/// Points of one call of closed_shell_r2scan().
inline constexpr std::size_t r2scan_points = 64;

/// The energy per volume (Ha/bohr^3) and its derivatives by the density n (Ha), by sigma = |grad n|^2 (Ha bohr^5) and
/// by tau at `r2scan_points` points, equal to libxc's MGGA_X_R2SCAN+MGGA_C_R2SCAN to rounding, with its thresholds.
/// Results do not depend on the position of a point. Pure.
void closed_shell_r2scan(const double* density, const double* sigma, const double* tau, double* energy, double* vrho,
                         double* vsigma, double* vtau);

}  // namespace wavegrid
