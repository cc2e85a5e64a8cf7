// What products of pseudo-waves lack of the density where an atom has an ultrasoft or PAW dataset, as a field:
//
//   n = sum_n f_n |psi_n|^2 + n^,   n^ = sum_a sum_ij rho_a,ij Q_a,ij,   rho_a,ij = sum_n f_n <psi_n|p_ai><p_aj|psi_n>
//   D_a,ij = D0_a,ij + int V Q_a,ij + h_a,ij,   h the derivative of the energy by rho at fixed n (density.hpp)
//
// Spinors have matrices over both spins: terms/spinor_matrices.hpp.
#pragma once

#include <vector>

#include <wavegrid/fields/atom_matrices.hpp>
#include <wavegrid/fields/energy_term.hpp>
#include <wavegrid/fields/field_space.hpp>

namespace wavegrid {

/// Matrices are the same on all ranks. Members are collective over the space.
template <FieldSpace Space>
class AugmentationCharge {
 public:
  AugmentationCharge() = default;
  AugmentationCharge(const AugmentationCharge&) = delete;
  AugmentationCharge& operator=(const AugmentationCharge&) = delete;
  virtual ~AugmentationCharge() = default;

  /// Matrices of the right sizes for rho of bands, of spinors over both spins. Local.
  [[nodiscard]] virtual AtomMatrices zeros() const = 0;
  /// The Hermitian matrices of the density that bands with rho have: of spinors n, or n and m; of others rho. Local.
  [[nodiscard]] virtual SpinMatrices components(AtomMatrices rho, bool vector) const = 0;
  /// n^ of the electrons with these matrices at this rank's points, electrons/bohr^3.
  [[nodiscard]] virtual FieldValues density(const AtomMatrices& rho) const = 0;
  /// All components of rho averaged over the symmetry of the crystal, in place, and made real. Local.
  virtual void symmetrise(SpinMatrices& rho) const = 0;
  /// D of the operator of each spin, or of spinors, from int V Q_ij + h_ij of each channel of a potential, Ha. Local.
  [[nodiscard]] virtual SpinMatrices couplings(SpinMatrices channels) const = 0;
  /// int V Q_ij, Ha, of values at this rank's points.
  [[nodiscard]] virtual AtomMatrices integrals(const FieldValues& potential) const = 0;
  /// Adds what is wanted of forces and strain by the motion of n^ in a potential at fixed matrices.
  virtual void add_gradients(const AtomMatrices& rho, const FieldValues& potential, Gradients& sum) const = 0;
};

}  // namespace wavegrid
