// Values of bands that have several components (decision 0037), and of their components.
#pragma once

#include <span>
#include <vector>

namespace wavegrid {

/// The value of each band for each of its components, one after the other. Pure.
template <class T>
[[nodiscard]] std::vector<T> repeated_for_components(std::span<const T> values, int components) {
  std::vector<T> repeated;
  repeated.reserve(values.size() * static_cast<std::size_t>(components));
  for (const T& value : values) repeated.insert(repeated.end(), static_cast<std::size_t>(components), value);
  return repeated;
}

/// The sum of the values of a band's components, for each band. Pure.
[[nodiscard]] inline std::vector<double> sums_of_components(std::vector<double> values, int components) {
  if (components == 1) return values;
  std::vector<double> sums(values.size() / static_cast<std::size_t>(components));
  for (std::size_t i = 0; i < values.size(); ++i) sums[i / static_cast<std::size_t>(components)] += values[i];
  return sums;
}

}  // namespace wavegrid
