// Electrostatic energy of the ions where one or two directions are periodic, or none.
//
//   E = 1/2 sum'_{ij,R} q_i q_j erfc(sqrt(eta) r) / r + 1/(2 V) sum_G v(G) exp(-G^2 / 4 eta) |S(G)|^2
//       - sqrt(eta / pi) sum_i q_i^2,     S(G) = sum_i q_i exp(-i G.r_i)
//
// R in the periodic directions; V and G are those of a box that is padded in the others, and v is the interaction cut
// off there (coulomb_kernel.hpp): Ewald's sum with another kernel, as in G. J. Martyna, M. E. Tuckerman, J. Chem. Phys.
// 110, 2810 (1999), 10.1063/1.477923.
#pragma once

#include <array>
#include <vector>

#include <wavegrid/basis/lattice.hpp>
#include <wavegrid/ions/cluster.hpp>

namespace wavegrid {

/// Energy (per cell), forces and strain of charges at Cartesian positions. Not collective: `parts` callers get partial
/// sums, which add up to the result. Only the periodic vectors of the lattice count. Throws bad_input if all directions
/// are periodic, the counts differ or two charges coincide.
[[nodiscard]] ClusterEnergy mixed_boundary_energy(const Lattice& lattice, const std::array<bool, 3>& periodic,
                                                  const std::vector<Vec3>& positions,
                                                  const std::vector<double>& charges, int part = 0, int parts = 1);

}  // namespace wavegrid
