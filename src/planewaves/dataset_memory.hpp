// Memory of what ultrasoft and PAW datasets have in addition to projectors.
#pragma once

#include <wavegrid/problem/problem.hpp>

namespace wavegrid {

/// Bytes of the tables of all species: augmentation functions by |G|, and on-site functions by radius. Pure.
[[nodiscard]] double dataset_bytes(const Problem& problem);
/// Bytes of rho_ij of all atoms, of one component of the density; 0 without PAW. Pure.
[[nodiscard]] double density_matrix_bytes(const Problem& problem);

}  // namespace wavegrid
