#include <algorithm>
#include <array>

#include <wavegrid/pseudo/augmented_dataset.hpp>

namespace wavegrid {

int AugmentedDataset::largest_l() const {
  int largest = 0;
  for (const PartialWave& wave : waves) largest = std::max(largest, wave.l);
  return largest;
}

double AugmentedDataset::spin_share(std::size_t i, std::size_t j) const {
  if (!fully_relativistic) return 1.0;
  return waves[i].j == waves[j].j ? (2 * waves[i].j + 1) / (4 * waves[i].l + 2) : 0.0;
}

const AugmentationFunction* AugmentedDataset::find(std::size_t i, std::size_t j, int l) const {
  const std::size_t first = std::min(i, j), second = std::max(i, j);
  const auto found = std::find_if(augmentation.begin(), augmentation.end(), [&](const AugmentationFunction& one) {
    return one.i == first && one.j == second && one.l == l;
  });
  return found == augmentation.end() ? nullptr : &*found;
}

std::string AugmentedDataset::described() const {
  constexpr std::array<const char*, 4> names{"s", "p", "d", "f"};
  std::string projectors;
  for (int l = 0; l <= largest_l(); ++l) {
    const auto count = std::count_if(waves.begin(), waves.end(), [&](const PartialWave& wave) { return wave.l == l; });
    if (count > 0)
      projectors += (projectors.empty() ? "" : " ") + std::to_string(count) + names[static_cast<std::size_t>(l)];
  }
  std::string text = paw ? "a PAW dataset" : "an ultrasoft pseudopotential";
  if (fully_relativistic) text += " with spin-orbit terms";
  text += " (projectors " + projectors;
  if (paw) {
    text += paw->shape ? ", compensation charges of shape " + paw->shape->type() : ", numerical compensation charges";
    text += compensation_in_xc == CompensationInXc::included ? " that enter xc" : " that do not enter xc";
  }
  return text + ")";
}

}  // namespace wavegrid
