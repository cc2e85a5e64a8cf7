// Meta-GGAs of a density without spin, many points at a time, for the reason for which there is closed_shell_pbe.hpp.
//
// r2SCAN: J. W. Furness, A. D. Kaplan, J. Ning, J. P. Perdew, J. Sun, J. Phys. Chem. Lett. 11, 8208 (2020),
// 10.1021/acs.jpclett.0c02405, and its supporting information, equations S1 to S40, for zeta = 0.
// SCAN: J. Sun, A. Ruzsinszky, J. P. Perdew, Phys. Rev. Lett. 115, 036402 (2015), 10.1103/PhysRevLett.115.036402.
// rSCAN: A. P. Bartok, J. R. Yates, J. Chem. Phys. 150, 161101 (2019), 10.1063/1.5094646.
// TPSS: J. Tao, J. P. Perdew, V. N. Staroverov, G. E. Scuseria, Phys. Rev. Lett. 91, 146401 (2003),
// 10.1103/PhysRevLett.91.146401, equations 5 to 14. revTPSS: J. P. Perdew et al., Phys. Rev. Lett. 103, 026403 (2009),
// 10.1103/PhysRevLett.103.026403.
#pragma once

#include <cstddef>

namespace wavegrid {

/// Points of one call of these kernels.
inline constexpr std::size_t meta_points = 64;

/// Arrays of `meta_points` numbers: density n (electrons/bohr^3), sigma = |grad n|^2 and tau, to the energy per volume
/// (Ha/bohr^3) and its derivatives by n (Ha), by sigma (Ha bohr^5) and by tau.
struct MetaPoints {
  const double *density, *sigma, *tau;
  double *energy, *vrho, *vsigma, *vtau;
};

/// Equal to libxc's sum of exchange and correlation to rounding, with its thresholds. Results do not depend on the
/// position of a point. Pure.
using MetaKernel = void(const MetaPoints& points);
MetaKernel closed_shell_scan, closed_shell_rscan, closed_shell_r2scan, closed_shell_tpss, closed_shell_revtpss;

}  // namespace wavegrid
