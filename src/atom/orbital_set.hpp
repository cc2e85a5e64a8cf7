// Which numerical orbitals a calculation has as its functions.
#pragma once

#include <optional>

namespace wavegrid {

/// Which functions an atom has.
enum class OrbitalSet {
  minimal,                ///< one for each occupied level
  double_zeta,            ///< two for each occupied level
  double_zeta_polarised,  ///< and one of the next angular momentum
};

/// How the density matrix of local orbitals is found.
enum class DensityKernel {
  diagonalise,  ///< from the states of the generalised eigenproblem
  purify        ///< by purification of block-sparse matrices (boxes/purification.hpp), of systems with a gap
};

/// The functions of every atom of a calculation.
struct LocalOrbitals {
  OrbitalSet set = OrbitalSet::double_zeta_polarised;
  double radius = 7.0;  ///< r_c of the confinement, bohr
  /// Half of the edge of the boxes, bohr: beyond it functions are 0; none: far enough that they lack 1e-8 of their
  /// norm.
  std::optional<double> box_radius = std::nullopt;
  bool optimise = false;  ///< the functions are those of lowest energy in their boxes; these are the initial ones
  DensityKernel kernel = DensityKernel::diagonalise;
  double kernel_cutoff = 1e-7;  ///< of purification: Frobenius norm below which blocks of two atoms are left out
};

}  // namespace wavegrid
