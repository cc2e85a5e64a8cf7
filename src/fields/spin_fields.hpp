// Densities and potentials of electrons with collinear spin: one or two fields.
#pragma once

#include <vector>

namespace wavegrid {

/// Values of a real function at this rank's points.
using FieldValues = std::vector<double>;

/// Real functions at this rank's points, [component][point]; one component without spin, two with.
///
/// Of a density (electrons/bohr^3) component 0 is the total n = n_up + n_down and component 1 the magnetisation
/// m = n_up - n_down. Of a potential (Ha) component 0 acts on spin up, or on all electrons where it is the only one,
/// and component 1 on spin down.
using SpinFields = std::vector<FieldValues>;

/// The same components in the representation of a space (field_space.hpp).
template <class Space>
using SpinComponents = std::vector<typename Space::Field>;

}  // namespace wavegrid
