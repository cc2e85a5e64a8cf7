// Density mixing: Pulay's direct inversion in the iterative subspace with Kerker's preconditioner.
//
//   rho_next = sum_i c_i (rho_i + K F_i),  F = rho_out - rho_in,  K = amplitude G^2 / (G^2 + k0^2)
//
// A magnetisation is mixed along with the electrons, with the same c_i; it does not screen itself as charge does, so its
// K is the amplitude alone.
//
// P. Pulay, Chem. Phys. Lett. 73, 393 (1980), 10.1016/0009-2614(80)80396-4; G. P. Kerker, Phys. Rev. B 23, 3082 (1981),
// 10.1103/PhysRevB.23.3082.
#pragma once

#include <deque>
#include <vector>

#include "basis/plane_waves.hpp"
#include "mpi/comm.hpp"
#include "terms/spin_density.hpp"

namespace wavegrid {

struct MixerOptions {
  double amplitude = 1.0;
  double k0 = 1.2;  ///< 1/bohr; 0 mixes all G alike
  int history = 8;  ///< 1 is linear mixing
};

/// Proposes the next input density from pairs of input and output densities on this rank's G of the box.
class Mixer {
 public:
  Mixer(const Comm& comm, const PlaneWaves& box, const MixerOptions& options, int spins);

  /// Bytes after `steps` steps on `waves` G of the box. Pure.
  [[nodiscard]] static double bytes(Index waves, const MixerOptions& options, int steps, int spins);

  /// Collective. The number of electrons, G = 0, stays that of `input`; the moment moves.
  [[nodiscard]] SpinCoefficients next(const SpinCoefficients& input, const SpinCoefficients& output);

 private:
  struct Pair {
    SpinCoefficients input, change;
  };
  [[nodiscard]] double dot(const SpinCoefficients& a, const SpinCoefficients& b) const;
  [[nodiscard]] std::vector<double> weights() const;

  Comm comm_;
  MixerOptions options_;
  std::vector<std::vector<double>> factor_;  ///< K(G), by component
  /// By which differences are judged, by component: 1/G^2, 0 at G = 0, their electrostatic energy; for the
  /// magnetisation at most 1.
  std::vector<std::vector<double>> metric_;
  std::deque<Pair> history_;
  std::deque<std::deque<double>> products_;  ///< <F_i|F_j>
};

}  // namespace wavegrid
