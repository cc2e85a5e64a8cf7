// The velocity of electrons in plane waves, the derivative of H by the vector potential A:
//
//   v = dH/dA = k + A + G + d/dA V_nl,   <psi|dV_nl/dA|psi> = 2 Re sum_p <psi|p> D <dp/dA|psi>
//
// The derivatives of the projectors, at the origin, are central differences of fourth order; moved to the atoms: a
// phase exp(-iA.R) that all projectors of an atom have does not count.
//
// Bands of ultrasoft and PAW datasets have a pseudo-function that changes with A at the same all-electron function but
// for its phase exp(-iA.r), with the dipoles d = int (r - R) Q of the augmentation charges:
//
//   i S dpsi/dA = -G psi,   G = sum |p> (d <p| - q <p|(r - R)),   <p|(r - R) = -i <dp/dA|
//
// which keeps <psi|S|psi>. In a field E = -dA/dt their equation is i S dpsi/dt = (H + E.G) psi, their velocity what
// that says of the work of E: <v> = <dH/dA> - 2 Im <S^-1 H psi|G psi>. With psi = exp(-iA.r) psi' it is i S dpsi'/dt =
// (H + E.X) psi' with X = r + sum |p> int r Q <p|, that of the dipole of the whole density.
#pragma once

#include <array>
#include <complex>
#include <vector>

#include <wavegrid/hamiltonian/hamiltonian.hpp>
#include <wavegrid/hamiltonian/nonlocal_potential.hpp>

namespace wavegrid {

/// Of one k-point and vector potential.
class Velocity {
  using Complex = std::complex<double>;

 public:
  /// Bytes. Pure.
  [[nodiscard]] static double bytes(Index rows, Index projectors) {
    return 4 * Bands<Complex>::bytes(rows, projectors);
  }
  /// `waves` has to outlive it; `k`: theirs; `components` of bands: 2 for spinors. Local.
  Velocity(const PlaneWaves& waves, const Vec3& k, const Crystal& crystal, const Pseudopotentials& atoms,
           int components = 1);

  /// <psi|v|psi> of each band of this Hamiltonian, bohr Ha/hbar, Cartesian. Collective over the ranks of the product.
  [[nodiscard]] std::vector<Vec3> expectations(Hamiltonian<std::complex<double>>& h,
                                               BandView<const std::complex<double>> psi);
  /// out = direction.G psi of augmented datasets. Collective over the ranks of the product.
  void apply_transport(const InnerProduct& product, const Vec3& direction, BandView<const std::complex<double>> psi,
                       BandView<std::complex<double>> out);

 private:
  /// <dp/dA|psi>, in the order of <p|psi>.
  [[nodiscard]] Matrix<Complex> slopes(const InnerProduct& product, std::size_t axis,
                                       BandView<const Complex> psi) const;

  const PlaneWaves& waves_;
  NonlocalPotential<Complex> nonlocal_;
  std::array<Bands<Complex>, 3> derivatives_;  ///< of its projectors along the Cartesian axes
  std::array<Couplings, 3> dipoles_;           ///< d; none without augmentation
};

}  // namespace wavegrid
