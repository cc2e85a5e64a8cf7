// Potential and densities of the atoms on a mesh.
//
// All are sums over atoms of radial functions, formed in the Fourier space of the box and cut off at the largest wave
// number of the mesh. Without this filter a function that varies between points would be sampled differently where an
// atom has another place between them, and the energy would depend on it.
//
// With free boundaries the tail -Z/r of the local potential is cut off as the Coulomb interaction is (mesh_box.hpp), at
// a distance that no point has from an atom; there it is that of a Gaussian charge, whose cutoff is smooth.
#pragma once

#include <vector>

#include "atoms/pseudopotentials.hpp"
#include "fields/effective_potential.hpp"
#include "realspace/mesh_fields.hpp"

namespace wavegrid {

using MeshPotential = EffectivePotential<MeshFields>;

/// V_loc at this rank's points, Ha. Collective.
[[nodiscard]] FieldValues local_on_mesh(MeshBox& box, const Crystal& crystal, const Pseudopotentials& atoms);

/// V_loc + V_H + v_xc, the last with the core densities of the atoms. Collective.
[[nodiscard]] MeshPotential make_potential(MeshFields& fields, Xc xc, const Crystal& crystal,
                                           const Pseudopotentials& atoms);

/// Forces of the local potential on all atoms, Ha/bohr: Cartesian, the same on all ranks. Collective.
[[nodiscard]] std::vector<Vec3> local_forces(MeshBox& box, const Crystal& crystal, const Pseudopotentials& atoms,
                                             const FieldValues& density);

}  // namespace wavegrid
