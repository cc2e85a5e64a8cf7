// The matrices of atoms whose projectors have no augmentation charge: norm-conserving potentials with shells of DFT+U.
#pragma once

#include <utility>

#include <wavegrid/crystal/space_group.hpp>
#include <wavegrid/fields/augmentation_charge.hpp>
#include <wavegrid/terms/matrix_symmetriser.hpp>
#include <wavegrid/terms/spin_channels.hpp>

namespace wavegrid {

/// n^ = 0.
template <FieldSpace Space>
class ShellMatrices final : public AugmentationCharge<Space> {
 public:
  ShellMatrices(const Crystal& crystal, const Pseudopotentials& atoms, const SpaceGroup& symmetry, std::size_t points,
                bool spinors)
      : symmetriser_(symmetry, crystal, atoms), channels_(crystal, atoms, spinors), points_(points) {}

  [[nodiscard]] AtomMatrices zeros() const override { return channels_.zeros(); }
  [[nodiscard]] SpinMatrices components(AtomMatrices rho, bool vector) const override {
    return channels_.components(std::move(rho), vector);
  }
  [[nodiscard]] FieldValues density(const AtomMatrices& /*rho*/) const override { return FieldValues(points_); }
  void symmetrise(SpinMatrices& rho) const override { symmetriser_.apply(rho); }
  [[nodiscard]] SpinMatrices couplings(SpinMatrices channels) const override {
    return channels_.couplings(std::move(channels));
  }
  [[nodiscard]] AtomMatrices integrals(const FieldValues& /*potential*/) const override {
    return zeros_like(channels_.bare());
  }
  void add_gradients(const AtomMatrices& /*rho*/, const FieldValues& /*potential*/, Gradients& /*sum*/) const override {
  }

 private:
  MatrixSymmetriser symmetriser_;
  SpinChannels channels_;
  std::size_t points_;  ///< of this rank
};

}  // namespace wavegrid
