// The problem of a calculation in another geometry.
#pragma once

#include <wavegrid/problem/problem.hpp>

namespace wavegrid {

/// With the k-points and the symmetry of that geometry if the problem follows them. Throws bad_input as require_valid()
/// does, or where the atoms have left the symmetry by which a list of k-points is irreducible.
[[nodiscard]] Problem at_geometry(Problem problem, Crystal crystal, const Int3& grid, const Int3& density_grid);
/// The same crystal with other fractional positions; throws bad_input for another number of them.
[[nodiscard]] Crystal at_positions(Crystal crystal, const std::vector<Vec3>& fractional);

}  // namespace wavegrid
