// The penalty that holds the directions of magnetic moments, as a term of the energy (moment_constraint.hpp).
#pragma once

#include <vector>

#include <wavegrid/fields/energy_term.hpp>
#include <wavegrid/terms/moment_constraint.hpp>

namespace wavegrid {

/// Of a density with a vector magnetisation.
template <FourierSpace Space>
class MomentConstraintTerm final : public EnergyTerm<Space> {
 public:
  /// The space must outlive the term.
  MomentConstraintTerm(Space& space, const Crystal& crystal, const std::vector<Vec3>& moments,
                       const MomentPenalty& penalty)
      : EnergyTerm<Space>("constraint"),
        space_(space),
        constraint_(space.fourier_box(), space.in_box(crystal), moments, penalty) {}

  [[nodiscard]] bool is_quadratic() const override { return false; }
  [[nodiscard]] bool allows_first_order(const DensityView<Space>& /*density*/) const override { return false; }

  [[nodiscard]] double energy(const DensityView<Space>& density) const override {
    return constraint_.energy(moments(density));
  }
  double add_potential(const DensityView<Space>& density, PotentialSum<Space>& sum) const override {
    const std::vector<Vec3> found = moments(density);
    SpinFields& v = sum.at_points.v;
    if (v.empty()) v.assign(4, FieldValues(density.values.n.front().size()));
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const FieldValues field = space_.to_values(space_.from_box(constraint_.field(space_.fourier_box(), found, axis)));
      for (std::size_t i = 0; i < field.size(); ++i) v[axis + 1][i] += field[i];
    }
    return constraint_.energy(found);
  }
  void add_gradients(const DensityView<Space>& density, Gradients& sum) const override {
    with_components(density, [&](const MomentConstraint::Components& m) {
      if (sum.with_forces) sum.forces[this->name()] = constraint_.forces(space_.fourier_box(), m);
      if (sum.with_strain) sum.strains[this->name()] = constraint_.strain(space_.fourier_box(), m);
    });
  }
  /// The torque of each atom, Ha.
  [[nodiscard]] std::vector<Vec3> torques(const DensityView<Space>& density) const {
    return constraint_.torques(moments(density));
  }

 private:
  template <class Action>
  void with_components(const DensityView<Space>& density, Action action) const {
    const auto& n = density.fields.n;
    const GridFft::Coefficients &x = space_.to_box(n[1]), &y = space_.to_box(n[2]), &z = space_.to_box(n[3]);
    action(MomentConstraint::Components{&x, &y, &z});
  }
  [[nodiscard]] std::vector<Vec3> moments(const DensityView<Space>& density) const {
    std::vector<Vec3> found;
    with_components(
        density, [&](const MomentConstraint::Components& m) { found = constraint_.moments(space_.fourier_box(), m); });
    return found;
  }

  Space& space_;
  MomentConstraint constraint_;
};

}  // namespace wavegrid
