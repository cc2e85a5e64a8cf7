// The energy as a functional of the density: all that a self-consistency loop knows of a system.
#pragma once

#include <wavegrid/fields/energy_terms.hpp>
#include <wavegrid/fields/model_tau.hpp>
#include <wavegrid/scf/mixer.hpp>

namespace wavegrid {

template <FieldSpace Space>
struct EnergyFunctional {
  Space& space;               ///< over all ranks
  EnergyTerms<Space>& terms;  ///< of the density
  double electrons = 0;       ///< in the cell
  int spins = 1;

  /// A mixer of its densities, which it must outlive. Local.
  [[nodiscard]] Mixer<Space> mixer(const MixerOptions& options) const {
    if (!terms.needs_matrices()) return {space, options};
    return {space, options, [this_terms = &terms](const SpinMatrices& a, const SpinMatrices& b) {
              return this_terms->interaction(a, b);
            }};
  }
};

/// Gives a density that has no kinetic-energy density, where the functional needs one, that of a model (model_tau.hpp).
/// Collective over all ranks.
template <FieldSpace Space>
void complete(const EnergyFunctional<Space>& functional, Density<Space>& density) {
  if (functional.terms.needs_tau() && density.tau.empty()) density.tau = model_tau<Space>(functional.space, density.n);
}

}  // namespace wavegrid
