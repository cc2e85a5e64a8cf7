// The Hartree energy: the electrostatic energy of the electrons among themselves.
//
//   E_H = 1/2 int V_H n,   Laplacian V_H = -4 pi n
//   dE_H/d eps_ab = Omega sum_G V_H(G)* n(G) G_a G_b / G^2 - delta_ab E_H
#pragma once

#include <wavegrid/fields/energy_term.hpp>
#include <wavegrid/terms/hartree.hpp>

namespace wavegrid {

/// In the electrostatics of a space (hartree.hpp, realspace/mesh_box.hpp).
template <FieldSpace Space>
class HartreeTerm final : public EnergyTerm<Space> {
 public:
  /// The space must outlive the term.
  explicit HartreeTerm(Space& space) : EnergyTerm<Space>("hartree"), space_(space) {}

  [[nodiscard]] double energy(const DensityView<Space>& density) const override {
    return space_.coulomb_energy(density.fields.n[0]);
  }
  double add_potential(const DensityView<Space>& density, PotentialSum<Space>& sum) const override {
    sum.add_common(space_.coulomb_potential(density.fields.n[0]));
    return 0;
  }
  void add_gradients(const DensityView<Space>& density, Gradients& sum) const override {
    if constexpr (FourierSpace<Space>)
      if (sum.with_strain)
        sum.strains[this->name()] =
            hartree_strain(space_.fourier_box(), space_.to_box(density.fields.n[0]), energy(density));
  }

 private:
  Space& space_;
};

}  // namespace wavegrid
