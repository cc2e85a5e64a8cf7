// Energy of the ions and forces of a calculation on a mesh.
#pragma once

#include "calculation/derivatives.hpp"
#include "calculation/mesh_bands.hpp"
#include "realspace/atom_fields.hpp"
#include "scf/scf_system.hpp"

namespace wavegrid {

/// The electrostatic energy of the ions among themselves, Ha: of the cell (Ewald), or of free charges. Collective.
[[nodiscard]] double ion_energy_on_mesh(const Comm& comm, const Problem& problem);

/// The forces on all atoms at the end of a loop, with their parts. Collective.
template <class S>
[[nodiscard]] Forces forces_on_mesh(const ProcessGroups& groups, MeshSpace& space, const MeshPotential& potential,
                                    const MeshBands<S>& bands, const Problem& problem, const ScfEnd<MeshFields>& end);

}  // namespace wavegrid
