// The augmentation charge (augmentation.hpp) in a space with a Fourier box.
#pragma once

#include <utility>

#include <wavegrid/terms/augmentation.hpp>
#include <wavegrid/terms/space_augmentation.hpp>

namespace wavegrid {

template <FourierSpace Space>
class FourierAugmentation final : public SpaceAugmentation<Space> {
 public:
  /// The space must outlive this object.
  FourierAugmentation(Space& space, const Crystal& crystal, const Pseudopotentials& atoms, const SpaceGroup& symmetry,
                      Augmentation::Datasets which = Augmentation::Datasets::all, bool spinors = false)
      : SpaceAugmentation<Space>(space, crystal, atoms, symmetry, spinors),
        charge_(space.fourier_box(), space.in_box(crystal), atoms, which) {}

  [[nodiscard]] FieldValues density(const AtomMatrices& rho) const override {
    return this->space().to_values(this->space().from_box(charge_.density(rho)));
  }
  [[nodiscard]] AtomMatrices integrals(const FieldValues& potential) const override {
    return charge_.integrals(coefficients(potential));
  }

 private:
  [[nodiscard]] GridFft::Coefficients coefficients(const FieldValues& values) const {
    return this->space().to_box(this->space().to_field(values));
  }
  [[nodiscard]] std::vector<Vec3> forces(const AtomMatrices& rho, const FieldValues& potential) const override {
    return charge_.forces(rho, coefficients(potential));
  }
  [[nodiscard]] Mat3 strain(const AtomMatrices& rho, const FieldValues& potential) const override {
    return charge_.strain(rho, coefficients(potential));
  }

  Augmentation charge_;
};

}  // namespace wavegrid
