// The augmentation charge of a problem, and the choice of its form.
#pragma once

#include <memory>

#include <wavegrid/fields/augmentation_charge.hpp>
#include <wavegrid/mpi/comm.hpp>
#include <wavegrid/problem/problem.hpp>
#include <wavegrid/terms/augmentation.hpp>
#include <wavegrid/terms/augmentation_choice.hpp>

namespace wavegrid {

/// What is known before there are bands. Pure.
[[nodiscard]] AugmentationChoice first_choice(const Problem& problem);

/// The charge of all datasets, or of some; null: there are none. Arguments must outlive the result. Collective over
/// `world`.
template <class Space>
[[nodiscard]] std::unique_ptr<const AugmentationCharge<Space>> make_augmentation(
    const Comm& world, Space& space, const Problem& problem, Augmentation::Datasets which,
    const std::shared_ptr<AugmentationChoice>& choice);

}  // namespace wavegrid
