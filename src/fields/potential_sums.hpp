// Linear combinations of potentials in all their parts.
#pragma once

#include <wavegrid/fields/density.hpp>

namespace wavegrid {

/// sum += factor * potential, of the same parts. Local.
inline void add(double factor, const Potential& potential, Potential& sum) {
  for (SpinFields Potential::*fields : {&Potential::v, &Potential::v_tau, &Potential::v_current})
    for (std::size_t s = 0; s < (sum.*fields).size(); ++s) {
      const FieldValues& from = (potential.*fields)[s];
      FieldValues& to = (sum.*fields)[s];
      for (std::size_t i = 0; i < to.size(); ++i) to[i] += factor * from[i];
    }
  for (SpinMatrices Potential::*matrices : {&Potential::matrices, &Potential::couplings})
    add(factor, potential.*matrices, sum.*matrices);
}

/// A potential of the same parts that is 0. Local.
[[nodiscard]] inline Potential zeros_like(const Potential& potential) {
  Potential zeros{.matrices = zeros_like(potential.matrices), .couplings = zeros_like(potential.couplings)};
  for (SpinFields Potential::*fields : {&Potential::v, &Potential::v_tau, &Potential::v_current})
    for (const FieldValues& one : potential.*fields) (zeros.*fields).emplace_back(one.size());
  return zeros;
}

}  // namespace wavegrid
