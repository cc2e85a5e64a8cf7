// The bands of a system whose electrons are to be found, with the space of their density and the terms of their energy.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include <wavegrid/scf/energy_functional.hpp>
#include <wavegrid/scf/kohn_sham_bands.hpp>

namespace wavegrid {

/// The objects that a solver of bands uses, for one k-point group; S is the scalar of its bands.
template <class S, FieldSpace Space>
struct ScfSystem {
  const ProcessGroups& groups;
  BandList<S> bands;  ///< of this rank's k-point group
  Space& space;       ///< over all ranks
  EnergyTerms<Space>& terms;
  Electrons electrons;
  std::vector<double> k_weights;  ///< of all k-points, adding up to 1
  Index bands_per_k = 0;
  /// Where the operators have exact exchange V_x, which belongs to earlier bands: its energy is linear in the present
  /// ones, sum_i f_i <psi_i|V_x|psi_i> + this, Ha.
  std::optional<double> exchange_offset = std::nullopt;

  [[nodiscard]] StateTable table() const {
    return {static_cast<Index>(k_weights.size()), electrons.spins, bands_per_k};
  }
  [[nodiscard]] EnergyFunctional<Space> functional() const { return {space, terms, electrons.count, electrons.spins}; }
};

/// Returns the initial bands of a k-point: called once for each, when its H is ready.
template <class S>
using BandStart = std::function<EigenState<S>(KohnShamBands<S>&)>;

}  // namespace wavegrid
