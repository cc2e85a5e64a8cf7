// The implicit midpoint rule with parallel transport: the bands change only outwards of their span,
//
//   i dpsi/dt = (1 - P) H psi,   P = psi (psi^H psi)^-1 psi^H,
//
// as slowly as a set of bands with this span can. W. Jia, D. An, L.-W. Wang, L. Lin, J. Chem. Theory Comput. 14, 5645
// (2018), 10.1021/acs.jctc.8b00580; as a midpoint rule D. An, D. Fang, L. Lin, J. Comput. Phys. 451, 110850
// (2022), 10.1016/j.jcp.2021.110850. A step solves for y = (psi(t) + psi(t + dt))/2 with H of its middle:
//
//   y + i dt/2 (1 - P_y) H y = psi(t)
//
// with an overlap S: S y + i dt/2 (1 - S P_y) H y = S psi(t), P_y = y (y^H S y)^-1 y^H. Since y^H (1 - P_y) = 0, psi(t
// + dt) has exactly the overlaps of psi(t), and with one occupation number for all bands <y|H|psi(t + dt) - psi(t)> is
// imaginary: the energy in H stays.
//
// The solver is that of fixed points by Anderson mixing of the bands, each with its own coefficients, in the form of
// generalised conjugate residuals (S. C. Eisenstat, H. C. Elman, M. H. Schultz, SIAM J. Numer. Anal. 20, 345
// (1983), 10.1137/0720023): differences of residuals are kept orthonormal, so that they lose no digits. All singular
// values of the equation are at least 1 for fixed P and S = 1: the residual bounds the error of a band.
#pragma once

#include <complex>

#include <wavegrid/eigen/band_operator.hpp>

namespace wavegrid {

/// How a step was solved.
struct MidpointSolution {
  double residual = 0;   ///< the largest norm of a band's residual, by the last step of the solver
  int applications = 0;  ///< of H to each band
  /// exp(-i dt (y^H y)^-1 y^H H y), (bands, bands): it turns the bands of parallel transport at t + dt into those of
  /// Schroedinger's equation, to second order.
  Matrix<std::complex<double>> turn{};
};

/// Bytes of the arrays of a step of the bands of `sets` k-points and spins. Pure.
[[nodiscard]] double midpoint_bytes(Index rows, Index bands, Index sets);

/// Solves the equation above for `middle`, from a guess there, to a residual of at most `tolerance` or by at most
/// `most` applications of H; `begin` need not be orthonormal. Collective over the ranks of the operator.
[[nodiscard]] MidpointSolution solve_midpoint(BandOperator<std::complex<double>>& op, double timestep, double tolerance,
                                              int most, BandView<const std::complex<double>> begin,
                                              BandView<std::complex<double>> middle);

/// end = 2 middle - begin, where errors of its overlaps are removed to first order. Collective over the ranks.
void leave_midpoint(BandOperator<std::complex<double>>& op, BandView<const std::complex<double>> begin,
                    BandView<const std::complex<double>> middle, BandView<std::complex<double>> end);

}  // namespace wavegrid
