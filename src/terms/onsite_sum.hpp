// The on-site energies of all atoms with PAW datasets (paw/onsite_energy.hpp).
#pragma once

#include <memory>
#include <vector>

#include <wavegrid/fields/atom_matrices.hpp>
#include <wavegrid/mpi/comm.hpp>
#include <wavegrid/paw/onsite_energy.hpp>
#include <wavegrid/pseudo/pseudopotentials.hpp>

namespace wavegrid {

/// Atoms are shared out over the ranks; results do not depend on the number of these. Matrices are over all projectors
/// of each atom, 0 for atoms of other kinds.
class OnsiteSum {
 public:
  /// `comm` must outlive this object. Local.
  /// `spin_axis`: of sphere_xc().
  OnsiteSum(const Comm& comm, const Crystal& crystal, const Pseudopotentials& atoms, std::shared_ptr<const Xc> xc,
            const Vec3& spin_axis = {0, 0, 0});

  /// Ha; `rho` by components, the same on all ranks. Collective.
  [[nodiscard]] double energy(const SpinMatrices& rho) const;
  /// The same, and adds dE/drho_ij of each spin channel to `derivatives`, empty or of the channels. Collective.
  double evaluate(const SpinMatrices& rho, SpinMatrices& derivatives) const;
  /// sum_a of OnsiteEnergy::coulomb_product, Ha. Local.
  [[nodiscard]] double interaction(const AtomMatrices& a, const AtomMatrices& b) const;

 private:
  /// Calls action(atom, its energy, its matrices) for the atoms of this rank.
  template <class Action>
  void for_my_atoms(const SpinMatrices& rho, Action action) const;
  [[nodiscard]] double total(std::vector<double> energies) const;

  const Comm& comm_;
  std::vector<std::shared_ptr<const OnsiteEnergy>> of_atom_;  ///< null: none
  std::vector<Index> num_projectors_;                         ///< of each atom's dataset
};

}  // namespace wavegrid
