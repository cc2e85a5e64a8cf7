// The functions of shells of DFT+U that are combinations of functions of several atoms: of all orbitals phi_m of the
// shells, or of the crystal, and of the projectors p of the overlap S = 1 + sum |p> q <p|,
//
//   h = S phi W,   W = 1 (atomic) or O^(-1/2) (ortho-atomic),   O_mn = <phi_m|S|phi_n>
//
// S phi is that of pw.x: of all projectors of the crystal. The derivatives of h are in combined_derivatives.hpp.
#pragma once

#include <vector>

#include <wavegrid/basis/wave_rows.hpp>
#include <wavegrid/hamiltonian/atomic_functions.hpp>
#include <wavegrid/linalg/bands.hpp>
#include <wavegrid/linalg/inner_product.hpp>
#include <wavegrid/pseudo/pseudopotentials.hpp>
#include <wavegrid/terms/couplings.hpp>
#include <wavegrid/terms/orbital_combination.hpp>

namespace wavegrid {

/// What gave the functions, for their derivatives; the orbitals count as they are placed: by species, atom, orbital, m.
template <class S>
struct CombinedOrbitals {
  Bands<S> orbitals;                    ///< phi
  Matrix<S> overlaps;                   ///< <p|phi>, all projectors; empty where S = 1
  OrbitalCombination<S> combination;    ///< W
  std::vector<Index> shell_projectors;  ///< the numbers of h among the projectors
};

/// Replaces the projectors of the shells by h, and returns what they are made of. `charges`: q of the projectors; null:
/// S = 1. `atom_projectors`: of each atom. Collective over the ranks of the product.
template <class S>
[[nodiscard]] CombinedOrbitals<S> combine_orbitals(const InnerProduct& product, const PlaneWaves& waves, const Vec3& k,
                                                   const Crystal& crystal, const Pseudopotentials& atoms,
                                                   const Couplings* charges, const std::vector<Range>& atom_projectors,
                                                   BandView<S> projectors);

}  // namespace wavegrid
