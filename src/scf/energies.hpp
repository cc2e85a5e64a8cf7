// The parts of the free energy.
#pragma once

#include <cmath>

#include "base/named_values.hpp"

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

/// The terms of bands, of their density and ions, and of the occupations, Ha, in the order of results. Pure.
[[nodiscard]] inline Energies all_energies(double kinetic, const NamedValues<double>& density_energies, double nonlocal,
                                           double entropy) {
  Energies all;
  all["kinetic"] = kinetic;
  for (const auto& [name, energy] : density_energies) all[name] = energy;
  all["nonlocal"] = nonlocal;
  all["entropy"] = entropy;
  return all;
}

}  // namespace wavegrid
