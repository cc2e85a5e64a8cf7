// Forces and stress of the electrostatic energy of the ions (ewald.hpp).
//
//   F_i = q_i sum_{j,R} q_j [erfc(sqrt(eta) r) / r + 2 sqrt(eta / pi) exp(-eta r^2)] r_ij / r^2
//         + 8 pi / V q_i sum_{half of G} exp(-G^2 / 4 eta) / G^2 G Im(conj(T(G)) exp(iG.r_i)),
//   T(G) = sum_j q_j exp(iG.r_j)
//   dE/d eps_ab: r_a -> r_a + eps_ab r_b, G_a -> G_a - eps_ab G_b; eta is kept, because E does not depend on it.
//
// The stress as in O. H. Nielsen, R. M. Martin, Phys. Rev. B 32, 3792 (1985), 10.1103/PhysRevB.32.3792, appendix B.
#pragma once

#include <vector>

#include <wavegrid/base/vec3.hpp>
#include <wavegrid/basis/lattice.hpp>

namespace wavegrid {

struct EwaldDerivatives {
  std::vector<Vec3> forces;  ///< -dE/dr_i, Cartesian, Ha/bohr
  Mat3 strain{};             ///< dE/d eps_ab, Ha, symmetric
};

/// Derivatives of ewald_energy() with the same arguments, and the same errors. Not collective: `parts` callers get
/// partial sums, which add up to the result.
[[nodiscard]] EwaldDerivatives ewald_derivatives(const Lattice& lattice, const std::vector<Vec3>& fractional_positions,
                                                 const std::vector<double>& charges, int part = 0, int parts = 1,
                                                 double eta = 0.0);

}  // namespace wavegrid
