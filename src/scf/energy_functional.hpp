// The energy as a functional of the density: all that a self-consistency loop knows of a system.
#pragma once

#include <wavegrid/fields/energy_terms.hpp>
#include <wavegrid/fields/model_tau.hpp>

namespace wavegrid {

template <FieldSpace Space>
struct EnergyFunctional {
  Space& space;               ///< over all ranks
  EnergyTerms<Space>& terms;  ///< of the density
  double electrons = 0;       ///< in the cell
  int spins = 1;
};

/// Gives a density that has no kinetic-energy density, where the functional needs one, that of a model (model_tau.hpp).
/// Collective over all ranks.
template <FieldSpace Space>
void complete(const EnergyFunctional<Space>& functional, Density<Space>& density) {
  if (functional.terms.needs_tau() && density.tau.empty()) density.tau = model_tau<Space>(functional.space, density.n);
}

}  // namespace wavegrid
