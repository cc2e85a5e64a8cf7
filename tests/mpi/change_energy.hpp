// The electrostatic energy of the change from one density to another, in tests that have no energy terms.
#pragma once

#include <wavegrid/fields/field_space.hpp>

namespace wavegrid {

/// FieldSpace::change_energy of `to` - `from`, Ha. Collective over the space.
template <FieldSpace Space>
[[nodiscard]] double change_energy(const Space& space, const SpinComponents<Space>& from,
                                   const SpinComponents<Space>& to) {
  SpinComponents<Space> change(to);
  for (std::size_t c = 0; c < change.size(); ++c)
    for (std::size_t i = 0; i < change[c].size(); ++i) change[c][i] -= from[c][i];
  return space.change_energy(change);
}

}  // namespace wavegrid
