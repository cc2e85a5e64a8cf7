// The charge that augments products of pseudo-waves (ultrasoft potentials and PAW), in reciprocal space.
//
//   n^(r) = sum_a sum_ij rho_a,ij Q_a,ij(r - tau_a),   rho_a,ij = sum_n f_n <psi_n|p_ai><p_aj|psi_n>
//   n^(G) = 1/Omega sum_a exp(-iG.tau_a) sum_LM (-i)^L Y_LM(G) n_a,LM(|G|)      (augmentation_table.hpp)
//   int V Q_a,ij = the derivative of int V n^ by rho_a,ij
//
// K. Laasonen, A. Pasquarello, R. Car, C. Lee, D. Vanderbilt, Phys. Rev. B 47, 10142 (1993), 10.1103/PhysRevB.47.10142.
#pragma once

#include <memory>
#include <vector>

#include <wavegrid/fields/atom_matrices.hpp>
#include <wavegrid/pseudo/pseudopotentials.hpp>
#include <wavegrid/terms/augmentation_table.hpp>
#include <wavegrid/terms/fourier_box.hpp>

namespace wavegrid {

/// Matrices are over all projectors of each atom, also of those without augmentation.
class Augmentation {
 public:
  /// All datasets, or those whose n^ is no part of the density of which exchange and correlation are taken.
  enum class Datasets { all, outside_xc };

  /// `box` is that of a periodic cell, and what it refers to has to outlive this object; n^ has the G of electrostatic
  /// potentials. Local.
  Augmentation(const FourierBox& box, const Crystal& crystal, const Pseudopotentials& atoms,
               Datasets which = Datasets::all);

  /// Coefficients on this rank's G of a function whose real part is n^(r), electrons/bohr^3: n^(G) half_weight(G)
  /// (fourier_box.hpp). Matrices are the same on all ranks. Local.
  [[nodiscard]] GridFft::Coefficients density(const AtomMatrices& rho) const;
  /// int V Q_ij of each atom, Ha: real and symmetric, the same on all ranks. `potential`: the coefficients of a real
  /// function on this rank's G. Collective.
  [[nodiscard]] AtomMatrices integrals(const GridFft::Coefficients& potential) const;
  /// The forces on the atoms by the motion of their n^ in a potential, -int V dn^/dtau at fixed rho, Ha/bohr,
  /// Cartesian, the same on all ranks. Collective.
  [[nodiscard]] std::vector<Vec3> forces(const AtomMatrices& rho, const GridFft::Coefficients& potential) const;
  /// sum_G conj(V(G)) d(Omega n^(G))/d eps_ab at fixed rho and Omega V, Ha, symmetric, the same on all ranks.
  /// Collective.
  [[nodiscard]] Mat3 strain(const AtomMatrices& rho, const GridFft::Coefficients& potential) const;

 private:
  FourierBox box_;
  Crystal crystal_;
  std::vector<Index> num_projectors_;                       ///< of each atom
  std::vector<std::unique_ptr<AugmentationTable>> tables_;  ///< of each species; null: none
};

}  // namespace wavegrid
