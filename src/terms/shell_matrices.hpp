// The matrices of atoms whose projectors have no augmentation charge: norm-conserving potentials with shells of DFT+U.
#pragma once

#include <wavegrid/crystal/space_group.hpp>
#include <wavegrid/fields/augmentation_charge.hpp>
#include <wavegrid/terms/dataset_matrices.hpp>
#include <wavegrid/terms/matrix_symmetriser.hpp>

namespace wavegrid {

/// n^ = 0.
template <FieldSpace Space>
class ShellMatrices final : public AugmentationCharge<Space> {
 public:
  ShellMatrices(const Crystal& crystal, const Pseudopotentials& atoms, const SpaceGroup& symmetry, std::size_t points)
      : symmetriser_(symmetry, crystal, atoms), bare_(wavegrid::bare_couplings(crystal, atoms)), points_(points) {}

  [[nodiscard]] AtomMatrices zeros() const override { return zeros_like(bare_); }
  [[nodiscard]] FieldValues density(const AtomMatrices& /*rho*/) const override { return FieldValues(points_); }
  void symmetrise(AtomMatrices& rho) const override { symmetriser_.apply(rho); }
  [[nodiscard]] const AtomMatrices& bare_couplings() const override { return bare_; }
  [[nodiscard]] AtomMatrices integrals(const FieldValues& /*potential*/) const override { return zeros_like(bare_); }
  void add_gradients(const AtomMatrices& /*rho*/, const FieldValues& /*potential*/, Gradients& /*sum*/) const override {
  }

 private:
  MatrixSymmetriser symmetriser_;
  AtomMatrices bare_;
  std::size_t points_;  ///< of this rank
};

}  // namespace wavegrid
