// The augmentation charge (augmentation.hpp) in a space with a Fourier box.
#pragma once

#include <utility>

#include <wavegrid/crystal/space_group.hpp>
#include <wavegrid/fields/augmentation_charge.hpp>
#include <wavegrid/terms/augmentation.hpp>
#include <wavegrid/terms/dataset_matrices.hpp>
#include <wavegrid/terms/matrix_symmetriser.hpp>
#include <wavegrid/terms/rank_sums.hpp>
#include <wavegrid/terms/symmetric_sums.hpp>

namespace wavegrid {

template <FourierSpace Space>
class FourierAugmentation final : public AugmentationCharge<Space> {
 public:
  /// The space must outlive this object.
  FourierAugmentation(Space& space, const Crystal& crystal, const Pseudopotentials& atoms, const SpaceGroup& symmetry,
                      Augmentation::Datasets which = Augmentation::Datasets::all)
      : space_(space),
        charge_(space.fourier_box(), space.in_box(crystal), atoms, which),
        symmetriser_(symmetry, crystal, atoms),
        bare_(wavegrid::bare_couplings(crystal, atoms)) {}

  [[nodiscard]] AtomMatrices zeros() const override { return zeros_like(bare_); }
  void symmetrise(AtomMatrices& rho) const override { symmetriser_.apply(rho); }
  [[nodiscard]] FieldValues density(const AtomMatrices& rho) const override {
    return space_.to_values(space_.from_box(charge_.density(rho)));
  }
  [[nodiscard]] const AtomMatrices& bare_couplings() const override { return bare_; }
  [[nodiscard]] AtomMatrices integrals(const FieldValues& potential) const override {
    return charge_.integrals(space_.to_box(space_.to_field(potential)));
  }
  void add_gradients(const AtomMatrices& rho, const FieldValues& potential, Gradients& sum) const override {
    const GridFft::Coefficients& v = space_.to_box(space_.to_field(potential));
    if (sum.with_forces) {
      auto& forces = sum.forces["augmentation"];
      const std::vector<Vec3> part = charge_.forces(rho, v);
      forces = forces.empty() ? part : sum_forces(std::move(forces), part);
    }
    if (sum.with_strain) sum.strains["augmentation"] = sum.strains["augmentation"] + charge_.strain(rho, v);
  }

 private:
  Space& space_;
  Augmentation charge_;
  MatrixSymmetriser symmetriser_;
  AtomMatrices bare_;  ///< D0
};

}  // namespace wavegrid
