// The initial density on a mesh: superposed pseudo-atoms.
#pragma once

#include "atoms/solver/pseudo_atom.hpp"
#include "calculation/problem.hpp"
#include "realspace/mesh_fields.hpp"

namespace wavegrid {

/// Scales a density so that it has the number of electrons. Collective.
void scale_to_electrons(const MeshFields& fields, double electrons, FieldValues& density);

/// The density of superposed atoms with the given number of electrons, electrons/bohr^3. Collective.
[[nodiscard]] FieldValues superposed_density(MeshFields& fields, const Crystal& crystal,
                                             const std::vector<PseudoAtom>& atoms, double electrons);

/// The same; with two spins also the initial magnetisation. Collective.
[[nodiscard]] SpinFields initial_density(MeshFields& fields, const Problem& problem,
                                         const std::vector<PseudoAtom>& atoms, double electrons);

}  // namespace wavegrid
