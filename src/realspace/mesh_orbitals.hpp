// Atomic orbitals on a mesh, and initial wave functions: the lowest states in their span.
#pragma once

#include <vector>

#include <wavegrid/atom/pseudo_atom.hpp>
#include <wavegrid/eigen/eigen_state.hpp>
#include <wavegrid/realspace/mesh_hamiltonian.hpp>

namespace wavegrid {

/// Replaces `functions` by the orbitals R(r) Y_lm of all atoms, species by species (`atoms`: one of each), level by
/// level, m = -l..l, as Bloch functions at `kpoint`. Farther than `reach` (bohr) from an atom they are 0. Of any norm,
/// as many as `functions`. Local.
template <class S>
void place_on_atoms(const Mesh& mesh, const Vec3& kpoint, const Crystal& crystal, const std::vector<PseudoAtom>& atoms,
                    double reach, BandView<S> functions);

/// `mesh`: whose points are the rows of h. The lowest `bands` states of a Hamiltonian in the span of the orbitals of
/// all atoms and, if these are fewer, of random functions; of random functions alone without `atoms` (one per species,
/// or none). Spinors, of two `components`, have each function with spin up and with spin down along `spin_axis`.
/// Collective. Throws bad_input if the mesh has too few points.
template <class S>
[[nodiscard]] EigenState<S> initial_bands(KohnShamOperator<S>& h, const Mesh& mesh, const Vec3& kpoint,
                                          const Crystal& crystal, const std::vector<PseudoAtom>& atoms, Index bands,
                                          int components = 1, const Vec3& spin_axis = {0, 0, 0});

}  // namespace wavegrid
