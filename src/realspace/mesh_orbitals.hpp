// Initial wave functions on a mesh: the lowest states in a basis of atomic orbitals.
#pragma once

#include <vector>

#include "atoms/solver/pseudo_atom.hpp"
#include "eigen/eigen_state.hpp"
#include "realspace/mesh_hamiltonian.hpp"

namespace wavegrid {

/// `mesh`: whose points are the rows of h. The lowest `bands` states of a Hamiltonian in the span of the orbitals of
/// all atoms and, if these are fewer, of random functions; of random functions alone without `atoms` (one per species,
/// or none). Collective. Throws bad_input if the mesh has too few points.
template <class S>
[[nodiscard]] EigenState<S> initial_bands(KohnShamOperator<S>& h, const Mesh& mesh, const Vec3& kpoint,
                                          const Crystal& crystal, const std::vector<PseudoAtom>& atoms, Index bands);

}  // namespace wavegrid
