// Start of the bands: the lowest states in a small basis of atomic orbitals, or random vectors.
#pragma once

#include <vector>

#include "atoms/solver/pseudo_atom.hpp"
#include "eigen/eigen_state.hpp"
#include "terms/hamiltonian.hpp"

namespace wavegrid {

/// How the bands start.
enum class Start { lcao, random };

/// Bands from Rayleigh-Ritz in atomic orbitals (Start::lcao), filled up with random vectors where there are fewer
/// orbitals than bands, or in random vectors alone. The vectors do not depend on the layout. Collective.
template <class S>
[[nodiscard]] EigenState<S> start_bands(Hamiltonian<S>& h, Start start, const Vec3& k, const Crystal& crystal,
                                        const std::vector<PseudoAtom>& atoms, Index bands);

/// Bytes that start_bands takes from `functions` orbitals and random vectors, the bands included. Pure.
template <class S>
[[nodiscard]] double start_bytes(Index rows, Index functions, Index bands);

}  // namespace wavegrid
