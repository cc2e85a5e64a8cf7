// The augmentation charge in one of two forms, compared with the first potential and bands of a calculation.
//
//   difference of an atom's energy = sum_ij rho_ij (int V Q_ij in boxes - int V Q_ij in reciprocal space)
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include <wavegrid/mpi/comm.hpp>
#include <wavegrid/terms/augmentation_choice.hpp>
#include <wavegrid/terms/boxed_augmentation.hpp>
#include <wavegrid/terms/fourier_augmentation.hpp>

namespace wavegrid {

/// What the comparison finds; seconds are those of n^ and D on the slowest rank.
struct AugmentationComparison {
  double error;   ///< Ha per atom of one spin channel, the largest of all atoms
  double radius;  ///< bohr
  double reciprocal_seconds, box_seconds;
};

template <FourierSpace Space>
class ChosenAugmentation final : public AugmentationCharge<Space> {
 public:
  using Boxes = BoxedAugmentation<Space>;
  using Decide = std::function<void(const AugmentationComparison&, AugmentationChoice&)>;

  /// `choice` has the form, and `decide` changes it after the comparison, unless it is final or there is no `decide`.
  /// Boxes are made when they are needed. The communicator must outlive this object.
  ChosenAugmentation(const Comm& comm, std::unique_ptr<const FourierAugmentation<Space>> reciprocal,
                     std::function<std::unique_ptr<const Boxes>()> make_boxes,
                     std::shared_ptr<AugmentationChoice> choice, Decide decide = {})
      : comm_(comm),
        reciprocal_(std::move(reciprocal)),
        make_boxes_(std::move(make_boxes)),
        choice_(std::move(choice)),
        decide_(std::move(decide)) {}

  [[nodiscard]] AtomMatrices zeros() const override { return reciprocal_->zeros(); }
  [[nodiscard]] SpinMatrices components(AtomMatrices rho, bool vector) const override {
    return reciprocal_->components(std::move(rho), vector);
  }
  void symmetrise(SpinMatrices& rho) const override { reciprocal_->symmetrise(rho); }
  [[nodiscard]] SpinMatrices couplings(SpinMatrices channels) const override {
    return reciprocal_->couplings(std::move(channels));
  }
  [[nodiscard]] FieldValues density(const AtomMatrices& rho) const override {
    if (compares() && potential_) compare(rho);
    return form().density(rho);
  }
  [[nodiscard]] AtomMatrices integrals(const FieldValues& potential) const override {
    if (compares()) potential_ = potential;
    return form().integrals(potential);
  }
  void add_gradients(const AtomMatrices& rho, const FieldValues& potential, Gradients& sum) const override {
    form().add_gradients(rho, potential, sum);
  }

 private:
  [[nodiscard]] bool compares() const { return decide_ && !choice_->is_final; }
  [[nodiscard]] const Boxes& boxes() const {
    if (!boxes_) boxes_ = make_boxes_();
    return *boxes_;
  }
  [[nodiscard]] const AugmentationCharge<Space>& form() const {
    if (choice_->in_boxes) return boxes();
    return *reciprocal_;
  }
  void compare(const AtomMatrices& rho) const {
    AtomMatrices exact, found;
    const double reciprocal_seconds = seconds(*reciprocal_, rho, exact), box_seconds = seconds(boxes(), rho, found);
    decide_({energy_error(rho, exact, found), boxes().largest_radius(), reciprocal_seconds, box_seconds}, *choice_);
    choice_->is_final = true;
    potential_.reset();
  }
  [[nodiscard]] double seconds(const AugmentationCharge<Space>& charge, const AtomMatrices& rho,
                               AtomMatrices& integrals) const {
    comm_.barrier();
    const auto began = std::chrono::steady_clock::now();
    integrals = charge.integrals(*potential_);
    static_cast<void>(charge.density(rho));
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    return comm_.max(took.count());
  }
  static double energy_error(const AtomMatrices& rho, const AtomMatrices& exact, const AtomMatrices& found) {
    double largest = 0;
    for (std::size_t a = 0; a < rho.size(); ++a) {
      double sum = 0;
      for (Index i = 0; i < rho[a].size(); ++i)
        sum += ((found[a].data()[i] - exact[a].data()[i]) * rho[a].data()[i]).real();
      largest = std::max(largest, std::abs(sum));
    }
    return largest;
  }

  const Comm& comm_;
  std::unique_ptr<const FourierAugmentation<Space>> reciprocal_;
  std::function<std::unique_ptr<const Boxes>()> make_boxes_;
  mutable std::unique_ptr<const Boxes> boxes_;
  std::shared_ptr<AugmentationChoice> choice_;
  Decide decide_;
  mutable std::optional<FieldValues> potential_;  ///< the first
};

}  // namespace wavegrid
