// A kinetic-energy density for a density without bands: that of a uniform gas and of one orbital together,
//
//   tau_s = 3/10 (6 pi^2)^(2/3) n_s^(5/3) + |grad n_s|^2 / (8 n_s)
//
// for which meta-GGAs are about what GGAs are (alpha = 1). C. F. von Weizsaecker, Z. Phys. 96, 431
// (1935), 10.1007/BF01337700.
#pragma once

#include <cmath>
#include <iterator>
#include <numbers>
#include <utility>
#include <vector>

#include <wavegrid/fields/density.hpp>
#include <wavegrid/fields/field_space.hpp>

namespace wavegrid {

/// Its value for one channel, Ha/bohr^3, at a point with density n and squared gradient of it; 0 where n <= 0.
[[nodiscard]] inline double model_tau(double n, double squared_gradient) {
  if (n <= 0) return 0;
  const double uniform = 0.3 * std::pow(6 * std::numbers::pi * std::numbers::pi, 2.0 / 3);
  return uniform * std::pow(n, 5.0 / 3) + squared_gradient / (8 * n);
}

/// The same for the components of a density (spin_fields.hpp). Collective over the space.
template <FieldSpace Space>
[[nodiscard]] SpinComponents<Space> model_tau(Space& space, const SpinComponents<Space>& n) {
  const std::size_t spins = n.size();
  SpinFields values, tau(spins);
  std::vector<std::vector<FieldValues>> slopes;
  for (const auto& component : n) {
    values.push_back(space.to_values(component));
    slopes.push_back(space.gradient(component));
  }
  /// Of the channel with the given sign of the magnetisation; without spin half of the density.
  const auto channel_tau = [&](std::size_t i, double sign) {
    const auto half = [&](double total, double difference) { return 0.5 * (total + sign * difference); };
    double squared = 0;
    for (std::size_t axis = 0; axis < slopes[0].size(); ++axis) {
      const double slope = half(slopes[0][axis][i], spins == 2 ? slopes[1][axis][i] : 0.0);
      squared += slope * slope;
    }
    return model_tau(half(values[0][i], spins == 2 ? values[1][i] : 0.0), squared);
  };
  for (FieldValues& component : tau) component.resize(values[0].size());
  for (std::size_t i = 0; i < values[0].size(); ++i) {
    const double up = channel_tau(i, 1.0), down = channel_tau(i, -1.0);
    tau[0][i] = up + down;
    if (spins == 2) tau[1][i] = up - down;
  }
  SpinComponents<Space> fields;
  for (const FieldValues& component : tau) fields.push_back(space.to_field(component));
  return fields;
}

/// A density in one array, as it is kept of earlier geometries: n, and tau less that of the model for n, which is
/// nearly the same where atoms have moved. Collective over the space.
template <FieldSpace Space>
[[nodiscard]] SpinComponents<Space> flattened(Space& space, Density<Space> density) {
  SpinComponents<Space> fields = std::move(density.n);
  if (density.tau.empty()) return fields;
  const SpinComponents<Space> model = model_tau<Space>(space, fields);
  for (std::size_t c = 0; c < model.size(); ++c) {
    auto& deviation = fields.emplace_back(std::move(density.tau[c]));
    for (std::size_t i = 0; i < deviation.size(); ++i) deviation[i] -= model[c][i];
  }
  return fields;
}
/// The density of such an array, with `spins` components of n. Collective over the space.
template <FieldSpace Space>
[[nodiscard]] Density<Space> unflattened(Space& space, SpinComponents<Space> fields, std::size_t spins) {
  SpinComponents<Space> deviations(std::make_move_iterator(fields.begin() + static_cast<std::ptrdiff_t>(spins)),
                                   std::make_move_iterator(fields.end()));
  fields.resize(spins);
  Density<Space> density{std::move(fields), {}, {}};
  if (deviations.empty()) return density;
  density.tau = model_tau<Space>(space, density.n);
  for (std::size_t c = 0; c < deviations.size(); ++c)
    for (std::size_t i = 0; i < deviations[c].size(); ++i) density.tau[c][i] += deviations[c][i];
  return density;
}

}  // namespace wavegrid
