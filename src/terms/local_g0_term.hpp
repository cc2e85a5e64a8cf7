// The G = 0 part of the local pseudopotentials in a periodic cell: what is left of them when the Coulomb parts of all
// charges cancel.
//
//   E_g0 = N_el / Omega sum_atoms lim_{G->0} (v(G) + 4 pi Z / G^2),   dE_g0/d eps_ab = -delta_ab E_g0
//
// J. Ihm, A. Zunger, M. L. Cohen, J. Phys. C 12, 4409 (1979), 10.1088/0022-3719/12/21/009.
#pragma once

#include <wavegrid/fields/energy_term.hpp>
#include <wavegrid/terms/local_potential.hpp>
#include <wavegrid/terms/symmetric_sums.hpp>

namespace wavegrid {

template <FieldSpace Space>
class LocalG0Term final : public ConstantTerm<Space> {
 public:
  /// `energy`: of local_g0_energy(), or 0 where the cell is not periodic, Ha.
  explicit LocalG0Term(double energy) : ConstantTerm<Space>("local_g0", energy) {}

  void add_gradients(const DensityView<Space>& density, Gradients& sum) const override {
    if (sum.with_strain) sum.strains[this->name()] = isotropic(-this->energy(density));
  }
};

}  // namespace wavegrid
