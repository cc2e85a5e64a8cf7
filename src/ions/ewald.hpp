// Electrostatic energy of the ions: point charges in a uniform neutralising background.
//
//   E = 1/2 sum'_{ij,R} q_i q_j erfc(sqrt(eta) r) / r  +  2 pi / V sum_{G != 0} exp(-G^2 / 4 eta) / G^2 |S(G)|^2
//       - sqrt(eta / pi) sum_i q_i^2  -  pi / (2 eta V) (sum_i q_i)^2,      S(G) = sum_i q_i exp(-i G.r_i)
//
// P. P. Ewald, Ann. Phys. 369, 253 (1921), 10.1002/andp.19213690304; the background term as in
// M. P. Allen and D. J. Tildesley, Computer Simulation of Liquids, 2nd ed. (2017),
// section 6.2, 10.1093/oso/9780198803195.001.0001.
#pragma once

#include <vector>

#include <wavegrid/base/vec3.hpp>
#include <wavegrid/basis/lattice.hpp>

namespace wavegrid {

/// Ewald energy per cell (Ha) of `charges` (elementary charges, one per position) at `fractional_positions` (any cell).
/// Not collective. The work can be divided among `parts` callers: each gets a partial sum; these add up to the energy.
/// `eta` (1/bohr^2) separates real from reciprocal space; 0: chosen so that both take the same time. It changes the
/// result by rounding only (1e-12 relative). 0 without positions. Throws bad_input if the counts differ or atoms
/// coincide.
[[nodiscard]] double ewald_energy(const Lattice& lattice, const std::vector<Vec3>& fractional_positions,
                                  const std::vector<double>& charges, int part = 0, int parts = 1, double eta = 0.0);

/// Parts into which the sum is divided if no result may depend on the number of ranks.
inline constexpr int fixed_ewald_parts = 64;

}  // namespace wavegrid
