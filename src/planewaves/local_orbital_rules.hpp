// What calculations with local orbitals refuse and need.
#pragma once

#include <wavegrid/problem/problem.hpp>

namespace wavegrid {

/// Throws bad_input, which names it, for what a problem with local orbitals does not combine with, for radii out of
/// range, and for fewer orbitals than bands. Pure.
void require_valid_local_orbitals(const Problem& problem);

/// The sizes of local orbitals, with boxes as local_orbital_bytes() takes them. Pure.
struct LocalOrbitalSizes {
  Index functions = 0;     ///< of all atoms
  double box_values = 0;   ///< of all functions in their boxes
  double pair_values = 0;  ///< the products of the functions of all pairs of atoms at the points of both boxes
};
[[nodiscard]] LocalOrbitalSizes local_orbital_sizes(const Problem& problem);

/// Bytes of the orbitals of `kpoints` k-points on a rank of a k-point group of `ranks` ranks, with `rows` rows of a
/// band of `bytes_per_row`, and of their matrices. Boxes whose size is not given are taken to reach 1.5 times as far as
/// the confinement. Pure.
[[nodiscard]] double local_orbital_bytes(const Problem& problem, Index rows, double bytes_per_row, int kpoints,
                                         int ranks);

}  // namespace wavegrid
