// The average of a density with all its components over the symmetry of a space.
#pragma once

#include <wavegrid/fields/field_space.hpp>

namespace wavegrid {

/// In place; no work without symmetry. Components are numbers at each point but for those of a vector magnetisation,
/// which turn together, in spaces that have symmetrise_moments(). Collective over the space.
template <FieldSpace Space>
void symmetrise_components(Space& space, SpinComponents<Space>& density) {
  if (!space.has_symmetry()) return;
  if constexpr (requires { space.symmetrise_moments(density[1], density[2], density[3]); })
    if (has_vector(density)) {
      space.symmetrise(density[0]);
      space.symmetrise_moments(density[1], density[2], density[3]);
      return;
    }
  for (auto& component : density) space.symmetrise(component);
}

}  // namespace wavegrid
