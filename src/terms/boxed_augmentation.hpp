// The augmentation charge (box_augmentation.hpp) in a space with a Fourier box: without what the grid has beyond the
// density's sphere.
#pragma once

#include <utility>

#include <wavegrid/terms/box_augmentation.hpp>
#include <wavegrid/terms/space_augmentation.hpp>

namespace wavegrid {

template <FourierSpace Space>
class BoxedAugmentation final : public SpaceAugmentation<Space> {
 public:
  /// The space must outlive this object. Collective.
  BoxedAugmentation(Space& space, const Crystal& crystal, const Pseudopotentials& atoms, const SpaceGroup& symmetry,
                    Augmentation::Datasets which, const BoxOptions& options, bool spinors = false)
      : SpaceAugmentation<Space>(space, crystal, atoms, symmetry, spinors),
        charge_(space.fourier_box(), space.in_box(crystal), atoms, which, options) {}

  [[nodiscard]] FieldValues density(const AtomMatrices& rho) const override { return inside(charge_.density(rho)); }
  [[nodiscard]] AtomMatrices integrals(const FieldValues& potential) const override {
    return charge_.integrals(inside(potential));
  }
  [[nodiscard]] double largest_radius() const { return charge_.largest_radius(); }  ///< bohr. Local.

 private:
  [[nodiscard]] std::vector<Vec3> forces(const AtomMatrices& rho, const FieldValues& potential) const override {
    return charge_.forces(rho, inside(potential));
  }
  [[nodiscard]] Mat3 strain(const AtomMatrices& rho, const FieldValues& potential) const override {
    return charge_.strain(rho, inside(potential));
  }
  /// Without the waves that electrostatic potentials do not have.
  [[nodiscard]] FieldValues inside(const FieldValues& values) const {
    Space& space = this->space();
    GridFft::Coefficients coefficients = space.to_box(space.to_field(values));
    const std::vector<char>& has = space.fourier_box().inside;
    for (std::size_t i = 0; i < coefficients.size(); ++i)
      if (!has[i]) coefficients[i] = 0;
    return space.to_values(space.from_box(std::move(coefficients)));
  }

  BoxAugmentation charge_;
};

}  // namespace wavegrid
