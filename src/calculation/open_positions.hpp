// Positions of points and ions where a crystal ends: its dipole, and a potential k.r without a jump among the
// electrons.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include <wavegrid/fields/field_space.hpp>
#include <wavegrid/problem/open_axes.hpp>
#include <wavegrid/problem/problem.hpp>

namespace wavegrid {

/// The values k.r (k in 1/bohr, Cartesian) at this rank's points; where the crystal is repeated but ends in the cell,
/// they jump in the middle of its widest gap. Local.
template <class Space>
[[nodiscard]] FieldValues positions_along(const Space& space, const Problem& problem, const Vec3& k) {
  const OpenAxes axes(problem);
  const Int3& counts = problem.field_grid();
  FieldValues values;
  for (const Int3& point : space.point_indices())
    values.push_back(
        dot(k, axes.position({static_cast<double>(point[0]) / counts[0], static_cast<double>(point[1]) / counts[1],
                              static_cast<double>(point[2]) / counts[2]})));
  return values;
}

/// The dipole of electrons with this density and of the ions, e bohr; none where the crystal does not end along all
/// lattice vectors. Collective over the space.
template <class Space>
[[nodiscard]] std::optional<Vec3> electric_dipole(const Space& space, const Problem& problem,
                                                  const FieldValues& density) {
  const OpenAxes axes(problem);
  if (!axes.all()) return std::nullopt;
  Vec3 dipole{0, 0, 0};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    Vec3 along{0, 0, 0};
    along[axis] = 1;
    const FieldValues x = positions_along(space, problem, along);
    dipole[axis] = -space.integrate([&](std::size_t i) { return density[i] * x[i]; });
    for (const Atom& atom : problem.crystal.atoms)
      dipole[axis] += problem.pseudopotentials[static_cast<std::size_t>(atom.species)]->valence_charge() *
                      axes.position(atom.position)[axis];
  }
  return dipole;
}

}  // namespace wavegrid
