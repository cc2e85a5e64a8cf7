// Initial bands: the lowest states in a small basis of atomic orbitals, or random vectors.
#pragma once

#include <vector>

#include <wavegrid/atom/pseudo_atom.hpp>
#include <wavegrid/eigen/eigen_state.hpp>
#include <wavegrid/hamiltonian/hamiltonian.hpp>
#include <wavegrid/problem/problem.hpp>

namespace wavegrid {

/// Bands from Rayleigh-Ritz in atomic orbitals (InitialWavefunctions::lcao), filled up with random vectors where there
/// are fewer orbitals than bands, or in random vectors alone. The vectors do not depend on the layout. Spinors are made
/// of vectors with spin along `spin_axis` and against it, in turn: moments along it then do not leave it without
/// reason; 0 is z. Collective.
template <class S>
[[nodiscard]] EigenState<S> initial_bands(Hamiltonian<S>& h, InitialWavefunctions kind, const Vec3& k,
                                          const Crystal& crystal, const std::vector<PseudoAtom>& atoms, Index bands,
                                          const Vec3& spin_axis = {0, 0, 0});

/// Bytes that initial_bands takes from `functions` orbitals and random vectors, the bands included. Pure.
template <class S>
[[nodiscard]] double initial_bands_bytes(Index rows, Index functions, Index bands);

}  // namespace wavegrid
