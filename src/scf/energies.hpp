// The parts of the free energy.
#pragma once

#include <cmath>

#include <wavegrid/base/named_values.hpp>

namespace wavegrid {

/// Energies by the names of their terms, Ha per cell, in the order in which they add up; `entropy` is -TS.
struct Energies : NamedValues<double> {
  [[nodiscard]] double free() const {
    double sum = 0;
    for (const auto& [name, energy] : *this) sum += energy;
    return sum;
  }
  [[nodiscard]] double total() const { return contains("entropy") ? free() - at("entropy") : free(); }
  /// The rounding error of the sum, Ha: the free energy is not known better.
  [[nodiscard]] double rounding() const {
    double sum = 0;
    for (const auto& [name, energy] : *this) sum += std::abs(energy);
    return 1e-15 * sum;
  }
};

/// The energies of the electrons and of the terms of their density, Ha, in the order of results: the first one of the
/// electrons comes before those of the density, the others after them. Pure.
[[nodiscard]] inline Energies all_energies(const NamedValues<double>& electrons, const NamedValues<double>& density) {
  Energies all;
  if (const auto first = electrons.begin(); first != electrons.end()) all[first->first] = first->second;
  for (const auto& [name, energy] : density) all[name] = energy;
  for (const auto& [name, energy] : electrons) all[name] = energy;
  return all;
}

}  // namespace wavegrid
