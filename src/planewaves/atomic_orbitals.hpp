// Orbitals of atoms on plane waves: for initial wave functions and for projections.
#pragma once

#include <vector>

#include <wavegrid/atom/pseudo_atom.hpp>
#include <wavegrid/hamiltonian/atomic_functions.hpp>
#include <wavegrid/pseudo/pseudopotential.hpp>

namespace wavegrid {

/// The 2l+1 functions of each level of a solved atom, level by level, m = -l..l. Local.
[[nodiscard]] std::vector<CentredFunction> make_atomic_orbitals(const PlaneWaves& waves, const PseudoAtom& atom);
/// The same of the pseudo-orbitals that come with a potential. Local.
[[nodiscard]] std::vector<CentredFunction> make_atomic_orbitals(const PlaneWaves& waves,
                                                                const Pseudopotential& potential);

}  // namespace wavegrid
