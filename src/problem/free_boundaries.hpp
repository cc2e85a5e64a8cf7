// What free boundaries ask of a problem: k-points and charge, and of plane waves, whose cell is repeated all the same,
// atoms that are in one half of it.
#pragma once

#include <wavegrid/problem/problem.hpp>

namespace wavegrid {

/// Throws bad_input for k-points along a free direction, and for a charge that is repeated. Pure.
void require_fitting_boundary(const Problem& problem);

/// Where the Coulomb interaction of plane waves is cut off, bohr: half of the smallest height of the cell along its
/// free directions. Pure.
[[nodiscard]] double cutoff_radius(const Lattice& lattice, const Periodic& periodic);

/// The same atoms, along free directions in the cell that begins in the middle of the widest gap: those that the cut
/// off interaction connects. Pure.
[[nodiscard]] Crystal in_one_piece(Crystal crystal, const Periodic& periodic);

/// Throws bad_input for a problem of plane waves with free boundaries whose atoms are farther from each other than from
/// images, and for what has no free boundaries. Pure.
void require_valid_free_waves(const Problem& problem);

}  // namespace wavegrid
