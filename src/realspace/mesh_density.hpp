// Densities of superposed pseudo-atoms on a mesh.
#pragma once

#include <span>
#include <vector>

#include <wavegrid/atom/pseudo_atom.hpp>
#include <wavegrid/realspace/mesh_fields.hpp>

namespace wavegrid {

/// The density of superposed atoms at this rank's points, electrons/bohr^3, with one factor for each atom; none means 1
/// for all. Collective.
[[nodiscard]] FieldValues superposed_density(MeshFields& fields, const Crystal& crystal,
                                             const std::vector<PseudoAtom>& atoms,
                                             std::span<const double> factors = {});

/// Against which changes of the density between geometries are taken: superposed atoms with the number of electrons,
/// which a free boundary would cut. Collective.
[[nodiscard]] FieldValues reference_density(MeshFields& fields, const Crystal& crystal,
                                            const std::vector<PseudoAtom>& atoms, double electrons);

/// Scales a density so that it has the number of electrons. Collective.
void scale_to_electrons(const MeshFields& fields, double electrons, FieldValues& density);
/// The same: a mesh has no other way to set the number.
inline void fix_electrons(const MeshFields& fields, double electrons, FieldValues& density) {
  scale_to_electrons(fields, electrons, density);
}

}  // namespace wavegrid
