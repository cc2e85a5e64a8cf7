// Density mixing: Pulay's direct inversion in the iterative subspace with Kerker's preconditioner.
//
//   rho_next = sum_i c_i (rho_i + K F_i),  F = rho_out - rho_in,  K = amplitude G^2 / (G^2 + k0^2)
//
// P. Pulay, Chem. Phys. Lett. 73, 393 (1980), 10.1016/0009-2614(80)80396-4; G. P. Kerker, Phys. Rev. B 23, 3082 (1981),
// 10.1103/PhysRevB.23.3082.
#pragma once

#include <complex>
#include <deque>
#include <vector>

#include "basis/plane_waves.hpp"
#include "mpi/comm.hpp"

namespace wavegrid {

struct MixerOptions {
  double amplitude = 1.0;
  double k0 = 1.2;  ///< 1/bohr; 0 mixes all G alike
  int history = 8;  ///< 1 is linear mixing
};

/// Proposes the next input density from pairs of input and output densities on this rank's G of the box.
class Mixer {
 public:
  using Density = std::vector<std::complex<double>>;

  Mixer(const Comm& comm, const PlaneWaves& box, const MixerOptions& options);

  /// Bytes after `steps` steps on `waves` G of the box. Pure.
  [[nodiscard]] static double bytes(Index waves, const MixerOptions& options, int steps);

  /// Collective. The number of electrons, G = 0, stays that of `input`.
  [[nodiscard]] Density next(const Density& input, const Density& output);

 private:
  struct Pair {
    Density input, change;
  };
  [[nodiscard]] double dot(const Density& a, const Density& b) const;
  [[nodiscard]] std::vector<double> weights() const;

  Comm comm_;
  MixerOptions options_;
  std::vector<double> kerker_;  ///< K(G)
  std::vector<double> metric_;  ///< 1/G^2, 0 at G = 0: differences are judged by their electrostatic energy
  std::deque<Pair> history_;
  std::deque<std::deque<double>> products_;  ///< <F_i|F_j>
};

}  // namespace wavegrid
