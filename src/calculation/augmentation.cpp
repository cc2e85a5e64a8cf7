#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include <wavegrid/base/printable.hpp>
#include <wavegrid/calculation/augmentation.hpp>
#include <wavegrid/planewaves/grid_fields.hpp>
#include <wavegrid/pseudo/hubbard_potential.hpp>
#include <wavegrid/realspace/mesh_fields.hpp>
#include <wavegrid/terms/chosen_augmentation.hpp>
#include <wavegrid/terms/dataset_matrices.hpp>
#include <wavegrid/terms/shell_matrices.hpp>

namespace wavegrid {

namespace {

constexpr int fewest_atoms = 8;     ///< below, making the functions in boxes takes more than they save
constexpr double accuracy = 1e-6;   ///< Ha per atom
constexpr double least_gain = 1.2;  ///< below, times are not certain enough

void decide_by_time(const AugmentationComparison& found, AugmentationChoice& choice) {
  const double gain = found.reciprocal_seconds / found.box_seconds;
  choice.in_boxes = choice.error <= accuracy && gain >= least_gain;
  if (choice.error > accuracy)
    choice.reason = "automatic: boxes would change the energy by more than " + to_text(accuracy) + " Ha per atom";
  else if (gain < least_gain)
    choice.reason = "automatic: boxes take no less time";
  else
    choice.reason = "automatic: " + to_text(std::round(10 * gain) / 10) + " times less time, measured";
}

}  // namespace

AugmentationChoice first_choice(const Problem& problem) {
  if (problem.augmentation == AugmentationSpace::reciprocal) return {.reason = "set in the input"};
  if (problem.augmentation == AugmentationSpace::boxes)
    return {.in_boxes = true, .reason = "set in the input", .is_final = false};
  if (problem.deterministic) return {.reason = "automatic: deterministic, so not by measured times"};
  if (problem.crystal.num_atoms() < fewest_atoms) return {.reason = "automatic: too few atoms for boxes to save time"};
  return {.reason = "automatic: not measured", .is_final = false};
}

template <class Space>
std::unique_ptr<const AugmentationCharge<Space>> make_augmentation(const Comm& world, Space& space,
                                                                   const Problem& problem, Augmentation::Datasets which,
                                                                   const std::shared_ptr<AugmentationChoice>& choice) {
  const Pseudopotentials& atoms = problem.pseudopotentials;
  const bool all = which == Augmentation::Datasets::all;
  if (std::ranges::none_of(
          atoms, [&](const auto& atom) { return all ? atom->augmented() != nullptr : has_charge_outside_xc(*atom); })) {
    if (!all || !has_hubbard(atoms)) return nullptr;
    return std::make_unique<ShellMatrices<Space>>(problem.crystal, atoms, problem.symmetry,
                                                  space.point_indices().size(), problem.spinors);
  }
  auto reciprocal = std::make_unique<FourierAugmentation<Space>>(space, problem.crystal, atoms, problem.symmetry, which,
                                                                 problem.spinors);
  if (choice->is_final && !choice->in_boxes) return reciprocal;
  const BoxOptions options{.deterministic = problem.deterministic, .threads = problem.threads};
  const auto boxes = [&space, &problem, which, options]() -> std::unique_ptr<const BoxedAugmentation<Space>> {
    return std::make_unique<BoxedAugmentation<Space>>(space, problem.crystal, problem.pseudopotentials,
                                                      problem.symmetry, which, options, problem.spinors);
  };
  using Chosen = ChosenAugmentation<Space>;
  const typename Chosen::Decide decide = [&problem](const AugmentationComparison& found, AugmentationChoice& after) {
    after.error = problem.spins * found.error;
    after.radius = found.radius;
    if (problem.augmentation == AugmentationSpace::automatic) decide_by_time(found, after);
  };
  return std::make_unique<Chosen>(world, std::move(reciprocal), boxes, choice,
                                  all ? decide : typename Chosen::Decide{});
}

#define WAVEGRID_INSTANTIATE(Space)                                            \
  template std::unique_ptr<const AugmentationCharge<Space>> make_augmentation( \
      const Comm&, Space&, const Problem&, Augmentation::Datasets, const std::shared_ptr<AugmentationChoice>&);
WAVEGRID_INSTANTIATE(GridFields)
WAVEGRID_INSTANTIATE(MeshFields)
#undef WAVEGRID_INSTANTIATE

}  // namespace wavegrid
