#include <array>
#include <cmath>

#include <wavegrid/propagation/step_scheme.hpp>

namespace wavegrid {

namespace {

/// The weights with which the polynomial through values at 1, 0, -1 and -2 has its value at `time`.
std::array<double, 4> cubic_weights(double time) {
  std::array<double, 4> weights{1, 1, 1, 1};
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      if (i != j) weights[static_cast<std::size_t>(i)] *= (time - (1 - j)) / ((1 - i) - (1 - j));
  return weights;
}

HalfStep combined(const std::vector<HalfStep::Part>& parts) {
  HalfStep half{std::vector<double>(4, 0.0), parts};
  for (const auto& [time, weight] : parts) {
    const std::array<double, 4> weights = cubic_weights(time);
    for (std::size_t i = 0; i < weights.size(); ++i) half.potentials[i] += weight * weights[i];
  }
  return half;
}

}  // namespace

StepScheme enforced_reversal() { return {.first = {{0, 1}, {{0, 1}}}, .second = {{1}, {{1, 1}}}}; }

StepScheme implicit_midpoint() {
  const HalfStep half{{0.5, 0.5}, {{0.5, 1}}};
  return {.first = half, .second = half, .is_midpoint = true};
}

StepScheme magnus4() {
  const double early = 0.5 - std::sqrt(3.0) / 6, late = 0.5 + std::sqrt(3.0) / 6, a = 0.5 + 1 / std::sqrt(3.0);
  return {.first = combined({{early, a}, {late, 1 - a}}),
          .second = combined({{early, 1 - a}, {late, a}}),
          .history = 3,
          .order = 4,
          .factor = 19.0 / 720};
}

}  // namespace wavegrid
