// Casida's equation for real bands: excitation energies w of electrons from
//
//   sum_q [d_p^2 delta_pq + 2 (f_p d_p)^1/2 K_pq (f_q d_q)^1/2] z_q = w^2 z_p
//
// over pairs p of an occupied and an empty band, d the difference of their energies, f the electrons in the occupied
// one, and K_pq = int int phi_i phi_a (1/|r - r'| + f_xc) phi_j phi_b. The strength of a dipole along x is
// 2 (sum_p z_p (f_p d_p)^1/2 <i|x|a>)^2; over all excitations they add up to the number of electrons.
// M. E. Casida, in Recent Advances in Density Functional Methods I, p. 155 (1995), 10.1142/9789812830586_0005.
#pragma once

#include <vector>

#include <wavegrid/base/index.hpp>
#include <wavegrid/base/vec3.hpp>
#include <wavegrid/linalg/bands.hpp>
#include <wavegrid/mpi/comm.hpp>

namespace wavegrid {

/// An occupied and an empty band of a spin, from 0. Ha, bohr.
struct BandPair {
  int spin = 0;
  Index from = 0, to = 0;
  double difference = 0, electrons = 0;
  Vec3 dipole{};  ///< <i|r|a>
};

struct Excitation {
  /// Ha; where the ground state is not stable against it, minus the rate with which it grows.
  double energy = 0;
  Vec3 strengths{};  ///< of dipoles along x, y and z, electrons; 0 for triplets
  BandPair pair{};   ///< with the largest weight
  double weight = 0;
};

struct CasidaResult {
  std::vector<Excitation> excitations;  ///< by energy
  Index pairs = 0;
  double error = 0;  ///< of the eigenvalues of the bands, Ha
};

/// All solutions; `kernel` K, (pairs, pairs), Ha. `absorbs`: whether there are strengths. The same on all ranks.
[[nodiscard]] std::vector<Excitation> solve_casida(const Comm& comm, const std::vector<BandPair>& pairs,
                                                   const Matrix<double>& kernel, bool absorbs);

}  // namespace wavegrid
