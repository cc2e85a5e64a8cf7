// The energy of the electrons in the local pseudopotentials, without its G = 0 part (local_g0_term.hpp).
//
//   E_local = int V_loc n,   V_loc and its derivatives in local_potential.hpp
#pragma once

#include <wavegrid/fields/energy_term.hpp>
#include <wavegrid/terms/local_potential.hpp>

namespace wavegrid {

template <FourierSpace Space>
class LocalTerm final : public LinearTerm<Space> {
 public:
  /// The space must outlive the term. Collective.
  LocalTerm(Space& space, const Crystal& crystal, const Pseudopotentials& atoms)
      : LinearTerm<Space>("local", space,
                          space.from_box(local_potential(space.fourier_box(), space.in_box(crystal), atoms))),
        crystal_(crystal),
        atoms_(atoms) {}

  [[nodiscard]] Vec3 net_force(const DensityView<Space>& /*density*/) const override { return {0, 0, 0}; }
  void add_gradients(const DensityView<Space>& density, Gradients& sum) const override {
    const Crystal& placed = this->space_.in_box(crystal_);
    const FourierBox box = this->space_.fourier_box();
    const GridFft::Coefficients& in_box = this->space_.to_box(density.fields.n[0]);
    if (sum.with_forces) sum.forces[this->name()] = local_forces(box, placed, atoms_, in_box);
    if (sum.with_strain) sum.strains[this->name()] = local_strain(box, placed, atoms_, in_box, this->energy(density));
  }

 private:
  Crystal crystal_;
  Pseudopotentials atoms_;
};

}  // namespace wavegrid
