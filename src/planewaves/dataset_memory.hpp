// Memory of what ultrasoft and PAW datasets and shells of DFT+U have in addition to projectors.
#pragma once

#include <wavegrid/problem/problem.hpp>

namespace wavegrid {

/// Bytes of the tables of all species: augmentation functions by |G|, and on-site functions by radius. Pure.
[[nodiscard]] double dataset_bytes(const Problem& problem);
/// Bytes of rho_ij of all atoms, of one component of the density; 0 without PAW. Pure.
[[nodiscard]] double density_matrix_bytes(const Problem& problem);

/// What the functions of shells of DFT+U are combinations of (hamiltonian/combined_orbitals.hpp), bytes of a k-point.
struct CombinedBytes {
  double functions = 0;    ///< while the projectors are computed
  double derivatives = 0;  ///< while forces or stress are
};
/// On `rows` rows of scalars of `scalar` bytes; 0 where there are none. Pure. Throws as combined_orbitals().
[[nodiscard]] CombinedBytes combined_bytes(const Problem& problem, Index rows, std::size_t scalar);

}  // namespace wavegrid
