// What a self-consistency loop passes on to the next one.
#pragma once

#include <optional>

#include <wavegrid/fields/energy_terms.hpp>
#include <wavegrid/scf/mixer.hpp>
#include <wavegrid/scf/scf_result.hpp>
#include <wavegrid/scf/stagnation.hpp>

namespace wavegrid {

/// What a loop passes on to the next one, in addition to bands and density: from single to double precision, or after
/// bands were added.
template <FieldSpace Space>
struct EarlierSteps {
  Mixer<Space> mixer;
  Stagnation stagnation;
  bool converged = false;  ///< by its own estimate; then the bands belong to the potential of the density
  ScfResult last{};        ///< of its last step, if there was one
  std::optional<LinearPotential> potential = std::nullopt;  ///< of the density, if it is known
};

}  // namespace wavegrid
