// Whether a mesh fits the atoms: what is checked of an input.
#pragma once

#include <optional>
#include <string>

#include <wavegrid/crystal/crystal.hpp>
#include <wavegrid/problem/mesh_basis.hpp>

namespace wavegrid {

/// What is wrong with a mesh, and which key of [basis] in the input has to change.
struct RegionError {
  std::string key;   ///< such as "region.radius"
  std::string text;  ///< what was found and what is valid
};

/// The fault of a region that does not go with the boundary: other than the cell with periodic directions alone, or a
/// cylinder whose axis is not the only periodic direction; or of one with an atom outside it, or nearer than 2 bohr to
/// a free boundary, where its density would be cut off. The text says how large it has to be. Pure.
[[nodiscard]] std::optional<RegionError> region_error(const MeshBasis& basis, const Crystal& crystal);

/// The fault of a mesh with `counts` points along the lattice vectors: that of its region, or too many points. Pure.
[[nodiscard]] std::optional<RegionError> find_mesh_error(const MeshBasis& basis, const Crystal& crystal,
                                                         const Int3& counts);

/// The smallest radius (bohr) at which spheres around all atoms overlap so that the region is one piece; periodic
/// images count in periodic directions. Work proportional to the square of the atoms. Pure.
[[nodiscard]] double connecting_radius(const Periodic& periodic, const Crystal& crystal);

}  // namespace wavegrid
