// Numerical orbitals of an atom as basis functions of a calculation.
//
//   (-1/2 d^2/dr^2 + l(l+1)/2r^2 + V_ion + V_H + v_xc + V_c) r R = eps r R,   V_c = 0.1 Ha (r / r_c)^8
//
// in the potential of the solved pseudo-atom. The second function of a level is what it has inside beyond a smooth
// continuation r^l (a - b r^2) of its tail, so that an atom can change its size; a polarisation function is the part of
// l + 1 of the change of a level in an electric field. J. Junquera, O. Paz, D. Sanchez-Portal, E. Artacho, Phys. Rev. B
// 64, 235111 (2001), 10.1103/PhysRevB.64.235111.
#pragma once

#include <memory>
#include <vector>

#include <wavegrid/atom/orbital_set.hpp>
#include <wavegrid/atom/pseudo_atom.hpp>
#include <wavegrid/basis/radial_transform.hpp>
#include <wavegrid/crystal/crystal.hpp>
#include <wavegrid/pseudo/pseudopotentials.hpp>

namespace wavegrid {

/// One radial function, for m = -l..l.
struct NumericalOrbital {
  int l = 0;
  std::shared_ptr<const RadialTransform> transform;  ///< F(g) = 4 pi int r^2 j_l(g r) R(r) dr, bohr^3/2

  /// The largest wave vector at which F is known, 1/bohr; beyond it F counts as 0.
  double largest_g = 0;
};

/// The functions of an atom that solve_pseudo_atom() has solved with `xc`. Pure. Throws bad_input for ultrasoft and PAW
/// datasets.
[[nodiscard]] std::vector<NumericalOrbital> make_numerical_orbitals(const Pseudopotential& pseudopotential,
                                                                    const PseudoAtom& atom, const LocalXc& xc,
                                                                    const LocalOrbitals& options);

/// How many functions an atom has, 2l+1 for each radial one. Pure; nothing is solved.
[[nodiscard]] Index count_numerical_orbitals(const Pseudopotential& pseudopotential, OrbitalSet set);
/// Of all atoms of a crystal; one pseudopotential per species.
[[nodiscard]] Index count_numerical_orbitals(const Crystal& crystal, const Pseudopotentials& pseudopotentials,
                                             OrbitalSet set);

}  // namespace wavegrid
