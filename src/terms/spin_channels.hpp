// The matrices of an augmentation charge for bands of one spin, of two, or for spinors, as AugmentationCharge has them.
#pragma once

#include <optional>
#include <utility>

#include <wavegrid/pseudo/hubbard_potential.hpp>
#include <wavegrid/terms/dataset_matrices.hpp>
#include <wavegrid/terms/spinor_matrices.hpp>

namespace wavegrid {

/// An immutable value.
class SpinChannels {
 public:
  SpinChannels(const Crystal& crystal, const Pseudopotentials& atoms, bool spinors)
      : bare_(wavegrid::bare_couplings(crystal, atoms)), has_shells_(has_hubbard(atoms)) {
    if (spinors) spinors_.emplace(crystal, atoms);
  }

  /// D0, Ha, without projections onto j and without spin-orbit terms.
  [[nodiscard]] const AtomMatrices& bare() const { return bare_; }
  [[nodiscard]] AtomMatrices zeros() const { return spinors_ ? spinors_->zeros() : zeros_like(bare_); }
  [[nodiscard]] SpinMatrices components(AtomMatrices rho, bool vector) const {
    if (spinors_) return spinors_->components(rho, vector, has_shells_);
    SpinMatrices one;
    one.push_back(std::move(rho));
    return one;
  }
  /// D of int V Q_ij + h_ij of each channel.
  [[nodiscard]] SpinMatrices couplings(SpinMatrices channels) const {
    if (!spinors_) {
      for (AtomMatrices& d : channels) add(1.0, bare_, d);
      return channels;
    }
    add(1.0, bare_, channels[0]);
    SpinMatrices one;
    one.push_back(spinors_->couplings(channels));
    return one;
  }

 private:
  AtomMatrices bare_;
  bool has_shells_;  ///< of DFT+U
  std::optional<SpinorMatrices> spinors_;
};

}  // namespace wavegrid
