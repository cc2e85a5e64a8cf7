// What both forms of the augmentation charge in a space with a Fourier box share: fourier_augmentation.hpp,
// boxed_augmentation.hpp.
#pragma once

#include <utility>
#include <vector>

#include <wavegrid/crystal/space_group.hpp>
#include <wavegrid/fields/augmentation_charge.hpp>
#include <wavegrid/terms/dataset_matrices.hpp>
#include <wavegrid/terms/fourier_box.hpp>
#include <wavegrid/terms/matrix_symmetriser.hpp>
#include <wavegrid/terms/rank_sums.hpp>
#include <wavegrid/terms/spin_channels.hpp>
#include <wavegrid/terms/symmetric_sums.hpp>

namespace wavegrid {

/// A derived class has density() and integrals(), and forces and strain of n^ in a potential as Augmentation has them.
template <FourierSpace Space>
class SpaceAugmentation : public AugmentationCharge<Space> {
 public:
  /// The space must outlive this object.
  SpaceAugmentation(Space& space, const Crystal& crystal, const Pseudopotentials& atoms, const SpaceGroup& symmetry,
                    bool spinors)
      : space_(space), symmetriser_(symmetry, crystal, atoms), channels_(crystal, atoms, spinors) {}

  [[nodiscard]] AtomMatrices zeros() const final { return channels_.zeros(); }
  [[nodiscard]] SpinMatrices components(AtomMatrices rho, bool vector) const final {
    return channels_.components(std::move(rho), vector);
  }
  void symmetrise(SpinMatrices& rho) const final { symmetriser_.apply(rho); }
  [[nodiscard]] SpinMatrices couplings(SpinMatrices channels) const final {
    return channels_.couplings(std::move(channels));
  }
  void add_gradients(const AtomMatrices& rho, const FieldValues& potential, Gradients& sum) const final {
    if (sum.with_forces) {
      auto& all = sum.forces["augmentation"];
      const std::vector<Vec3> part = forces(rho, potential);
      all = all.empty() ? part : sum_forces(std::move(all), part);
    }
    if (sum.with_strain) sum.strains["augmentation"] = sum.strains["augmentation"] + strain(rho, potential);
  }

 protected:
  [[nodiscard]] Space& space() const { return space_; }

 private:
  [[nodiscard]] virtual std::vector<Vec3> forces(const AtomMatrices& rho, const FieldValues& potential) const = 0;
  [[nodiscard]] virtual Mat3 strain(const AtomMatrices& rho, const FieldValues& potential) const = 0;

  Space& space_;
  MatrixSymmetriser symmetriser_;
  SpinChannels channels_;
};

}  // namespace wavegrid
