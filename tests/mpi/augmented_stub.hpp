// A pseudopotential of which tests use the augmentation alone: functions r^2 Q_ij^L = c r^(L+2) exp(-a r^2).
#pragma once

#include <cmath>
#include <numbers>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <wavegrid/base/random.hpp>
#include <wavegrid/pseudo/augmented_dataset.hpp>
#include <wavegrid/pseudo/pseudopotential.hpp>

namespace wavegrid {

inline constexpr Index made_up_projectors = 10;  ///< of s, s, p, d with their m
/// The first of a radial projector's. Pure.
[[nodiscard]] inline Index first_projector(std::size_t i) { return std::vector<Index>{0, 1, 2, 5}[i]; }

[[nodiscard]] inline double made_up_exponent(const AugmentationFunction& f) {
  return 1.5 + 0.3 * static_cast<double>(f.i) + 0.2 * static_cast<double>(f.j) + 0.1 * f.l;
}
[[nodiscard]] inline double made_up_factor(const AugmentationFunction& f) {
  return random_at({Index(f.i), Index(f.j), Index(f.l)}) - 0.5;
}
/// 4 pi int r^2 j_L(gr) Q_ij^L dr.
[[nodiscard]] inline double made_up_transform(const AugmentationFunction& f, double g) {
  const double a = made_up_exponent(f);
  return made_up_factor(f) * std::pow(std::numbers::pi / a, 1.5) * std::pow(g / (2 * a), f.l) *
         std::exp(-g * g / (4 * a));
}

[[nodiscard]] inline AugmentedDataset made_up_dataset() {
  AugmentedDataset dataset;
  for (int i = 0; i <= 700; ++i) dataset.r.push_back(0.01 * i);
  for (const int l : {0, 0, 1, 2}) dataset.waves.push_back({.l = l});
  for (std::size_t i = 0; i < dataset.waves.size(); ++i)
    for (std::size_t j = i; j < dataset.waves.size(); ++j) {
      const int l1 = dataset.waves[i].l, l2 = dataset.waves[j].l;
      for (int l = std::abs(l1 - l2); l <= l1 + l2; l += 2) {
        AugmentationFunction f{.i = i, .j = j, .l = l};
        for (const double r : dataset.r)
          f.r2_q.push_back(made_up_factor(f) * std::pow(r, l + 2) * std::exp(-made_up_exponent(f) * r * r));
        dataset.augmentation.push_back(std::move(f));
      }
    }
  return dataset;
}

class AugmentedStub final : public Pseudopotential {
 public:
  AugmentedStub() = default;
  explicit AugmentedStub(AugmentedDataset dataset) : dataset_(std::move(dataset)) {}

  [[nodiscard]] const std::string& element() const override { return element_; }
  [[nodiscard]] double valence_charge() const override { return 1; }
  [[nodiscard]] const std::vector<double>& valence_occupation() const override { return occupation_; }
  [[nodiscard]] double local(double) const override { return 0; }
  [[nodiscard]] double local_slope(double) const override { return 0; }
  [[nodiscard]] double local_core() const override { return 0; }
  [[nodiscard]] double local_radial(double) const override { return 0; }
  [[nodiscard]] int num_channels() const override { return dataset_ ? 3 : 0; }
  [[nodiscard]] int channel_l(int c) const override { return c; }
  [[nodiscard]] int num_projectors(int c) const override { return c == 0 ? 2 : 1; }
  [[nodiscard]] double coupling(int, int, int) const override { return 0; }
  [[nodiscard]] double projector(int, int, double) const override { return 0; }
  [[nodiscard]] double projector_slope(int, int, double) const override { return 0; }
  [[nodiscard]] double projector_radial(int, int, double) const override { return 0; }
  [[nodiscard]] const AugmentedDataset* augmented() const override { return dataset_ ? &*dataset_ : nullptr; }

 private:
  std::string element_ = "X";
  std::vector<double> occupation_{1};
  std::optional<AugmentedDataset> dataset_;
};

}  // namespace wavegrid
