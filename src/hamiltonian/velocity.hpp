// The velocity of electrons in plane waves, the derivative of H by the wave vector:
//
//   v = dH(k)/dk = k + G + d/dk V_nl(k),   <psi|dV_nl/dk|psi> = 2 Re sum_p <psi|p> D <dp/dk|psi>
//
// The derivatives of the projectors, at the origin, are central differences of fourth order; moved to the atoms: a
// phase exp(-ik.tau) that all projectors of an atom have does not count.
#pragma once

#include <array>
#include <complex>
#include <vector>

#include <wavegrid/hamiltonian/nonlocal_potential.hpp>

namespace wavegrid {

/// Of one k-point, with projectors that are coupled by their pseudopotentials and S = 1.
class Velocity {
  using Complex = std::complex<double>;

 public:
  /// Bytes. Pure.
  [[nodiscard]] static double bytes(Index rows, Index projectors) {
    return 4 * Bands<Complex>::bytes(rows, projectors);
  }
  /// `waves` has to outlive it; `k`: theirs. Local.
  Velocity(const PlaneWaves& waves, const Vec3& k, const Crystal& crystal, const Pseudopotentials& atoms);

  /// <psi|v|psi> of each band, bohr Ha/hbar, Cartesian. Collective over the ranks of the product.
  [[nodiscard]] std::vector<Vec3> expectations(const InnerProduct& product, BandView<const std::complex<double>> psi);

 private:
  const PlaneWaves& waves_;
  NonlocalPotential<Complex> nonlocal_;
  std::array<Bands<Complex>, 3> derivatives_;  ///< of its projectors along the Cartesian axes
};

}  // namespace wavegrid
