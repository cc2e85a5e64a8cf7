// Energy of the ions, forces and stress of a calculation on a mesh.
#pragma once

#include "calculation/derivatives.hpp"
#include "realspace/atom_fields.hpp"
#include "realspace/mesh_bands.hpp"
#include "scf/scf_system.hpp"

namespace wavegrid {

/// The electrostatic energy of the ions among themselves, Ha: of the cell (Ewald), of free charges, or of chains
/// and layers. Collective.
[[nodiscard]] double ion_energy_on_mesh(const Comm& comm, const Problem& problem);

/// The derivatives that the problem asks for at the end of a loop. Collective.
template <class S>
[[nodiscard]] Derivatives derivatives_on_mesh(const ProcessGroups& groups, MeshSpace& space,
                                              const MeshPotential& potential, const MeshBands<S>& bands,
                                              const Problem& problem, const std::vector<PseudoAtom>& pseudo_atoms,
                                              const ScfEnd<MeshFields>& end);

}  // namespace wavegrid
