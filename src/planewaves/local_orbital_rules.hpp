// What calculations with local orbitals refuse and need.
#pragma once

#include <wavegrid/problem/problem.hpp>

namespace wavegrid {

/// Throws bad_input, which names it, for what a problem with local orbitals does not combine with, for radii out of
/// range, and for fewer orbitals than bands. Pure.
void require_valid_local_orbitals(const Problem& problem);

/// Whether functions are optimised in spheres: they have all waves of the grid. Pure.
[[nodiscard]] inline bool has_all_waves(const Problem& problem) {
  return problem.local_orbitals && problem.local_orbitals->optimise && problem.local_orbitals->box_radius;
}
/// Functions up to which the states of purification are computed one by one at the end, which takes work that
/// grows as their cube and memory as their square.
inline constexpr Index most_functions_with_levels = 1000;
/// Whether the result has no levels but the edges of the gap: of more functions than that, where nothing needs the
/// states. Pure.
[[nodiscard]] bool leaves_out_levels(const Problem& problem);
/// Whether the states are computed one by one in each step, not only at the end. Pure.
[[nodiscard]] bool has_levels(const Problem& problem);
/// Whether the bands of a loop are there as plane waves. Pure.
[[nodiscard]] inline bool keeps_plane_waves(const Problem& problem) {
  return !problem.local_orbitals || has_levels(problem) || problem.projections;
}
/// No point of the cell is farther from an atom or its nearest image, bohr. Pure.
[[nodiscard]] double farthest_point(const Lattice& lattice);
/// A cutoff whose sphere is larger than that of any grid, Ha.
inline constexpr double whole_grid_ecut = 1e8;

/// The sizes of local orbitals, with boxes as local_orbital_bytes() takes them. Pure.
struct LocalOrbitalSizes {
  Index functions = 0;       ///< of all atoms
  double box_values = 0;     ///< of all functions in their boxes
  double wide_points = 0;    ///< of the box in which functions in spheres are transformed
  double pair_values = 0;    ///< the products of the functions of all pairs of atoms at the points of both boxes
  double block_values = 0;   ///< elements of the blocks of atoms whose boxes have common points
  double remote_values = 0;  ///< of functions in boxes that a rank needs of others; the most of any rank
  Index remote_atoms = 0;    ///< whose they are
};
/// `ranks`: that share the atoms.
[[nodiscard]] LocalOrbitalSizes local_orbital_sizes(const Problem& problem, int ranks = 1);

/// Bytes of the orbitals of `kpoints` k-points on a rank of a k-point group of `ranks` ranks, with `rows` rows of a
/// band of `bytes_per_row`, and of their matrices; of functions in spheres without those that the plane waves of bands
/// need at the end of a loop. Boxes whose size is not given are taken to reach 1.5 times as far as
/// the confinement. Pure.
[[nodiscard]] double local_orbital_bytes(const Problem& problem, Index rows, double bytes_per_row, int kpoints,
                                         int ranks);

}  // namespace wavegrid
